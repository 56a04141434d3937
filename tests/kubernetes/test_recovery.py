"""The commands of docs/kubernetes.md bring back databases and keys that were lost."""

import os
import subprocess
import time
from pathlib import Path

import httpx
import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.kubernetes.cluster import Cluster
from tests.resilience.billing_records import BillingRecords
from tests.resilience.load import Load

ROOT = Path(__file__).parents[2]
_DATABASES = ("accountsadmin", "mlpcore", "mlpgateway", "mlpbilling")
_MADE = (
    ("accountsadmin", "SELECT id, login FROM users ORDER BY 1"),
    ("accountsadmin", "SELECT id, short_name FROM accounts ORDER BY 1"),
    ("mlpcore", "SELECT model_id, account_id, name FROM model ORDER BY 1"),
)
_SECONDS = 180
_WELL_SECONDS = 420
_CALLS = 20
_GATEWAY_ERROR = 502
_CONNECTIONS = 20


class Documented:
    """Commands of "Back up and restore", in a folder that has the chart and `mine.yaml`."""

    def __init__(self, cluster: Cluster, folder: Path) -> None:
        section = (ROOT / "docs" / "kubernetes.md").read_text().split("\n## Back up and restore\n")[1].split("\n## ")[0]
        self.stop, self.wait, self.keep_keys, self.start = (
            line.strip() for line in section.splitlines() if line.startswith("    ")
        )
        self.restore_keys = "kubectl -n mlplace apply -f mlplace-keys.yaml"
        assert f"`{self.restore_keys}`" in section
        self._folder = folder
        (folder / "helm").symlink_to(ROOT / "helm")
        (folder / "mine.yaml").write_text(cluster.values())

    def run(self, *commands: str) -> None:
        for command in commands:
            ours = command.replace("-n mlplace ", "-n $MLP_NAMESPACE ").replace(
                "--namespace mlplace ", "--namespace $MLP_NAMESPACE "
            )
            subprocess.run(["bash", "-euo", "pipefail", "-c", ours], cwd=self._folder, check=True, timeout=420)


@pytest.mark.timeout(1800)
class TestRestore:
    def test_lost_databases_and_keys_come_back(
        self, platform: Platform, cluster: Cluster, billing_records: BillingRecords, tmp_path: Path
    ) -> None:
        documented = Documented(cluster, tmp_path)
        began = billing_records.standing()
        with Load(platform.url, platform.api_key) as load:
            load.wait_for_answers(_CALLS, seconds=_SECONDS)
        billing_records.check(began, load.prefix, load.outcomes)
        kept, made = billing_records.standing(), [cluster.query(*each) for each in _MADE]

        stopped = time.monotonic()
        documented.run(documented.stop, documented.wait, documented.keep_keys)
        dump = _postgres("pg_dumpall", "-U", "postgres", "-h", "/run/postgresql")
        cluster.kubectl("delete", "secret", "mlplace-keys")
        for database in _DATABASES:
            cluster.query("postgres", f"DROP DATABASE {database}")
        documented.run(documented.restore_keys)
        _postgres("psql", "-q", "-U", "postgres", "-h", "/run/postgresql", "-d", "postgres", text=dump)
        documented.run(documented.start)
        eventually(cluster.unwell, until=lambda names: not names, seconds=_WELL_SECONDS, every=1)
        eventually(lambda: _answers(platform), until=bool, seconds=_SECONDS)

        assert (billing_records.standing(), [cluster.query(*each) for each in _MADE]) == (kept, made)
        with Load(platform.url, platform.api_key) as after:
            after.wait_for_answers(_CALLS, seconds=_SECONDS)
            answered = time.monotonic()
        print(f"calls answered {answered - stopped:.0f} s after the stop")  # noqa: T201  run.sh shows this figure
        billing_records.check(kept, after.prefix, after.outcomes)


def _answers(platform: Platform) -> bool:
    """Pods are ready some moments before the cluster's addresses lead to them. Asks each service of the edge.

    Each pod of the edge learns the addresses by itself, and a new connection leads to any of them.
    """
    paths = ("accountsadmin/c/authorization/check-authorized", "mlpcore/system-config/frontend-settings")
    try:
        for _ in range(_CONNECTIONS):
            with platform.client() as client:
                if any(client.get(f"/api/{path}").status_code >= _GATEWAY_ERROR for path in paths):
                    return False
    except httpx.TransportError:
        return False
    return True


def _postgres(*command: str, text: str | None = None) -> str:
    """Runs a client in the evaluation's PostgreSQL."""
    pod = ("--namespace", os.environ["MLP_NAMESPACE"], "exec", "--stdin", f"{os.environ['MLP_RELEASE']}-postgresql-0")
    answer = subprocess.run(
        ["kubectl", *pod, "--", *command], input=text, capture_output=True, check=True, text=True, timeout=120
    )
    return answer.stdout
