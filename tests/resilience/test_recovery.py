"""An installation whose data is gone comes back from its backup with every account, key, service and amount."""

import time
from pathlib import Path

import pytest

from tests.acceptance.conftest import Platform
from tests.acceptance.waiting import eventually
from tests.resilience.billing_records import BillingRecords
from tests.resilience.containers import Project, run
from tests.resilience.load import Load

_SECONDS = 120
_COPY_SECONDS = 280
_CALLS = 40


@pytest.mark.timeout(900)
class TestRestore:
    def test_a_restored_installation_holds_what_was_backed_up(
        self, platform: Platform, project: Project, billing_records: BillingRecords, tmp_path: Path
    ) -> None:
        began = billing_records.standing()
        with Load(platform.url, platform.api_key) as load:
            load.wait_for_answers(_CALLS, seconds=_SECONDS)
        billing_records.check(began, load.prefix, load.outcomes)
        kept = billing_records.standing()
        tables = _rows(project)

        started = time.monotonic()
        run(("tools/backup", str(tmp_path)), platform.checkout, _COPY_SECONDS)
        backed_up = time.monotonic()
        project.compose("down", "--volumes", "--timeout", "20")
        (platform.checkout / ".env").unlink()
        lost = time.monotonic()
        run(("tools/restore", str(tmp_path)), platform.checkout, _COPY_SECONDS)
        eventually(project.unwell, until=lambda services: not services, seconds=_SECONDS, every=1)

        assert (billing_records.standing(), _rows(project)) == (kept, tables)
        with Load(platform.url, platform.api_key) as after:
            after.wait_for_answers(_CALLS, seconds=_SECONDS)
            answered = time.monotonic()
        print(  # noqa: T201  run.sh shows these figures
            f"backup {backed_up - started:.0f} s; calls answered {answered - lost:.0f} s after the data was lost"
        )
        billing_records.check(kept, after.prefix, after.outcomes)


def _rows(project: Project) -> list[list[list[str]]]:
    """What people made. The ledger is compared by `BillingRecords`: rents go on."""
    statements = (
        ("accountsadmin", "SELECT id, login FROM users ORDER BY 1"),
        ("accountsadmin", "SELECT id, short_name FROM accounts ORDER BY 1"),
        ("mlpcore", "SELECT model_id, account_id, name FROM model ORDER BY 1"),
    )
    return [project.query(database, statement) for database, statement in statements]
