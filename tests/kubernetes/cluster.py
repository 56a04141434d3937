"""A release on a cluster, and actions of an operator or a failure on it."""

import base64
import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CHART = Path(__file__).parents[2] / "helm" / "mlplace"
SERVICES = ("accountsadmin", "mlpcore", "mlpbilling", "mlpgateway")
OURS = (*SERVICES, "edge", "gate-ports")
_COMMAND_SECONDS = 420


class CommandError(Exception):
    """kubectl or helm failed; the text is its output."""


@dataclass(frozen=True, slots=True)
class Pod:
    name: str
    uid: str
    component: str
    well: bool


class Cluster:
    def __init__(self) -> None:
        self._release = os.environ["MLP_RELEASE"]
        self._namespace = os.environ["MLP_NAMESPACE"]
        self._label = f"app.kubernetes.io/instance={self._release}"

    def kubectl(self, *arguments: str) -> str:
        return _run("kubectl", "--namespace", self._namespace, *arguments)

    def helm(self, verb: str, *arguments: str) -> str:
        return _run("helm", verb, self._release, *arguments, "--namespace", self._namespace)

    def run(self, *command: str) -> str:
        """For what kubectl and helm do with another release. Raises CommandError."""
        return _run(*command)

    def secret(self, name: str) -> dict[str, str]:
        data = json.loads(self.kubectl("get", "secret", name, "--output", "json"))["data"]
        return {key: base64.b64decode(value).decode() for key, value in data.items()}

    def create_secret(self, name: str, values: Mapping[str, str]) -> None:
        literals = [f"--from-literal={key}={value}" for key, value in values.items()]
        self.kubectl("create", "secret", "generic", name, *literals)

    def values(self) -> str:
        """The values of the release, as YAML."""
        return _run("helm", "get", "values", self._release, "--namespace", self._namespace, "--output", "yaml")

    def upgrade(self, *values: str) -> None:
        """`values` are `path=value`; others stay. Returns when all pods are replaced and well."""
        changed = [part for value in values for part in ("--set", value)]
        self.helm("upgrade", str(CHART), "--reuse-values", *changed, "--wait", "--timeout", "6m")

    def rollback(self) -> None:
        """To the revision before, until all pods are replaced and well."""
        self.helm("rollback", "--wait", "--timeout", "6m")

    def pods(self, component: str | None = None) -> list[Pod]:
        """Pods that should run on and are not being deleted, in the order of their names."""
        rows = json.loads(self.kubectl("get", "pods", "--selector", self._label, "--output", "json"))["items"]
        pods = [_pod(row) for row in rows if "deletionTimestamp" not in row["metadata"] and _lasts(row)]
        chosen = [pod for pod in pods if component is None or pod.component == component]
        return sorted(chosen, key=lambda pod: pod.name)

    def unwell(self) -> list[str]:
        """Names of pods that are not ready, and workloads that lack pods."""
        rows = json.loads(
            self.kubectl("get", "deployments,statefulsets", "--selector", self._label, "--output", "json")
        )["items"]
        lacking = [
            row["metadata"]["name"]
            for row in rows
            if row["status"].get("readyReplicas", 0) != row["spec"]["replicas"]
            or row["status"].get("updatedReplicas", 0) != row["spec"]["replicas"]
        ]
        return sorted([*lacking, *(pod.name for pod in self.pods() if not pod.well)])

    def kill(self, pod: Pod) -> None:
        """End it without notice, like a failing machine."""
        self.kubectl("delete", "pod", pod.name, "--grace-period=0", "--force")

    def drain(self, *, seconds: int) -> None:
        """Evict our pods from all nodes for some seconds: as many as the disruption budgets allow."""
        selector = f"{self._label},app.kubernetes.io/component in ({','.join(OURS)})"
        for node in self._nodes():
            drain = ("drain", node, "--pod-selector", selector, "--ignore-daemonsets", "--delete-emptydir-data")
            try:
                self.kubectl(*drain, f"--timeout={seconds}s")
            except CommandError as error:
                if "global timeout" not in str(error):
                    raise

    def take_back(self) -> None:
        """Let pods run on drained nodes again."""
        for node in self._nodes():
            self.kubectl("uncordon", node)

    def query(self, database: str, statement: str) -> list[list[str]]:
        """Rows of the evaluation's PostgreSQL, as text."""
        client = ("psql", "-U", "postgres", "-h", "/run/postgresql", "-d", database, "-At", "-F", "\t", "-c", statement)
        answer = self.kubectl("exec", f"{self._release}-postgresql-0", "--", *client)
        return [line.split("\t") for line in answer.splitlines()]

    def _nodes(self) -> list[str]:
        return self.kubectl("get", "nodes", "--output", "name").split()


def _pod(row: dict[str, Any]) -> Pod:
    conditions = {each["type"]: each["status"] for each in row["status"].get("conditions", [])}
    metadata = row["metadata"]
    component = metadata["labels"]["app.kubernetes.io/component"]
    return Pod(metadata["name"], metadata["uid"], component, conditions.get("Ready") == "True")


def _lasts(row: dict[str, Any]) -> bool:
    return not any(owner["kind"] == "Job" for owner in row["metadata"].get("ownerReferences", []))


def _run(*command: str) -> str:
    finished = subprocess.run(command, capture_output=True, text=True, check=False, timeout=_COMMAND_SECONDS)
    if finished.returncode:
        raise CommandError(f"{' '.join(command)}: {finished.stdout}{finished.stderr}")
    return finished.stdout
