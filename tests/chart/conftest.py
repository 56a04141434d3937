"""Renders the chart with `helm template` and finds the objects in it."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

CHART = Path(__file__).parents[2] / "helm" / "mlplace"
NAMESPACE = "ml"
EXTERNAL: Mapping[str, Any] = {
    "publicUrl": "https://mlplace.example.org",
    "stores": {
        "postgresql": {"existingSecret": "databases"},
        "kafka": {"brokers": ["kafka-0:9092", "kafka-1:9092", "kafka-2:9092"]},
        "redis": {"existingSecret": "redis"},
        "s3": {"endpoint": "https://s3.example.org", "existingSecret": "objects"},
    },
}
"""Values of an installation with stores of its own: the fewest that are accepted."""


@dataclass(frozen=True, slots=True)
class Rendered:
    objects: tuple[dict[str, Any], ...]

    def of_kind(self, kind: str) -> list[dict[str, Any]]:
        return [each for each in self.objects if each["kind"] == kind]

    def one(self, kind: str, name: str) -> dict[str, Any]:
        """The object of this kind with the name `mlplace-<name>`, or `mlplace` for an empty one."""
        whole = f"mlplace-{name}" if name else "mlplace"
        (found,) = [each for each in self.of_kind(kind) if each["metadata"]["name"] == whole]
        return found

    def pods(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Name of the workload, and the specification of its pods."""
        for each in self.objects:
            if each["kind"] in {"Deployment", "StatefulSet", "DaemonSet", "Job"}:
                yield each["metadata"]["name"].removeprefix("mlplace-"), each["spec"]["template"]["spec"]

    def environment(self, workload: str, container: str | None = None) -> dict[str, Any]:
        """Values of the variables of a container, by default of the one named like the workload."""
        pod = dict(self.pods())[workload]
        (found,) = [each for each in pod["containers"] if each["name"] == (container or workload)]
        return {each["name"]: each.get("value", each.get("valueFrom")) for each in found["env"]}


Render = Callable[..., Rendered]


class RefusedError(Exception):
    """Helm refused the values; the text is what it printed."""


@pytest.fixture(scope="session")
def helm() -> str:
    found = shutil.which("helm")
    if found is None:
        pytest.skip("no helm on PATH")
    return found


@pytest.fixture(scope="session")
def render(helm: str, tmp_path_factory: pytest.TempPathFactory) -> Render:
    """Renders the release `mlplace` with values over those of an installation with stores of its own."""
    made: dict[str, Rendered] = {}

    def render(
        values: Mapping[str, Any] = {}, *, base: Mapping[str, Any] = EXTERNAL, upgrade: bool = False
    ) -> Rendered:
        whole = json.dumps(merged(base, values))
        key = f"{whole} {upgrade}"
        if key not in made:
            file = tmp_path_factory.mktemp("values") / "values.json"
            file.write_text(whole)
            command = [helm, "template", "mlplace", str(CHART), "--namespace", NAMESPACE, "--values", str(file)]
            answer = subprocess.run(
                [*command, *(["--is-upgrade"] if upgrade else [])], capture_output=True, check=False, text=True
            )
            if answer.returncode:
                raise RefusedError(without_notices(answer.stderr))
            made[key] = Rendered(tuple(filter(None, yaml.load_all(answer.stdout, yaml.CSafeLoader))))
        return made[key]

    return render


@pytest.fixture(scope="session")
def external(render: Render) -> Rendered:
    return render()


@pytest.fixture(scope="session")
def evaluation(render: Render) -> Rendered:
    return render({"evaluation": True}, base={})


@pytest.fixture(scope="session")
def everything(render: Render) -> Rendered:
    """All optional objects that exclude no other."""
    return render({
        "whiteLabelHosts": ["models.customer.example"],
        "ingress": {"enabled": True, "className": "nginx", "tls": [{"hosts": ["mlplace.example.org"], "secretName": "tls"}, {"hosts": ["*.customer.example"], "secretName": "customer-tls"}]},
        "edge": {"trustedProxies": ["10.0.0.0/8"]},
        "agent": {"enabled": True, "tokens": {"existingSecret": "agent-tokens"}},
        "license": {"existingSecret": "license"},
        "mail": {"host": "smtp.example.org", "user": "ml", "existingSecret": "mail"},
        "stores": {"kafka": {"sasl": {"mechanism": "SCRAM-SHA-512"}, "existingSecret": "kafka", "tls": {"enabled": True, "existingSecret": "kafka-tls", "clientCertificate": True}}},
        "mlpgateway": {"autoscaling": {"enabled": True, "cpuPercent": 80}, "outside": {"mode": "loadBalancer", "loadBalancer": {"host": "gates.example.org"}}, "tls": {"existingSecret": "gates-tls"}},
        "networkPolicy": {"metricsFrom": [{"namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": "monitoring"}}}]},
        "monitoring": {name: {"enabled": True} for name in ("serviceMonitor", "prometheusRule", "dashboards")},
    })  # fmt: skip


def merged(base: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    whole = dict(base)
    for key, value in over.items():
        known = whole.get(key)
        whole[key] = merged(known, value) if isinstance(known, Mapping) and isinstance(value, Mapping) else value
    return whole


def without_notices(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if "found symbolic link" not in line)
