"""The containers of a running compose project, and actions of an operator or a failure on them."""

import json
import subprocess
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

_COMMAND_SECONDS = 120
_RESTART_POLICY_SECONDS = 2.0


class CommandError(Exception):
    """A docker command failed; the text is its output."""


@dataclass(frozen=True, slots=True)
class Container:
    service: str
    identity: str


class Project:
    """`folder` contains the compose file and .env.

    COMPOSE_PROJECT_NAME is taken from the environment, as by compose.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def compose(self, *arguments: str) -> str:
        return self._run("docker", "compose", *arguments)

    def replicas(self, service: str) -> list[Container]:
        """Running replicas in the order of their numbers."""
        lines = self.compose("ps", "--format", "json", service).splitlines()
        rows = sorted((json.loads(line) for line in lines), key=lambda row: row["Name"])
        return [Container(service, row["ID"]) for row in rows]

    def addresses(self, service: str) -> list[str]:
        """Addresses of the first replica in each of its networks."""
        template = "{{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}"
        return self._run("docker", "inspect", "--format", template, self.replicas(service)[0].identity).split()

    def kill(self, container: Container) -> None:
        """SIGKILL, like a failing machine."""
        self._run("docker", "kill", container.identity)

    def bring_back(self, container: Container) -> None:
        """Restart it, since Docker's restart policy does not apply after `docker kill`."""
        deadline = time.monotonic() + _RESTART_POLICY_SECONDS
        while time.monotonic() < deadline:
            if self._run("docker", "inspect", "--format", "{{.State.Running}}", container.identity).strip() == "true":
                return
            time.sleep(0.1)
        self.start(container)

    def start(self, container: Container) -> None:
        self._run("docker", "start", container.identity)

    def yields(self, container: Container) -> None:
        """Give it only processor time that others do not use, as if it were on another machine."""
        self._run("docker", "update", "--cpu-shares", "2", container.identity)

    def remove(self, container: Container) -> None:
        self._run("docker", "rm", "--force", container.identity)

    def restart(self, container: Container) -> None:
        """Let it take its own time to stop."""
        grace = self._run("docker", "inspect", "--format", "{{.Config.StopTimeout}}", container.identity).strip()
        self._run("docker", "restart", "--time", grace, container.identity)

    def unwell(self) -> list[str]:
        """Services with a container that should run and does not, or whose health check fails."""
        # Asked many times: `docker compose ps` takes twenty times the processor time, which services need to start.
        filters = ("--filter", f"label=com.docker.compose.project={self._name}")
        identities = self._run("docker", "ps", "--all", "--quiet", *filters).split()
        found: list[str] = []
        for state in json.loads(self._run("docker", "inspect", *identities)):
            service = state["Config"]["Labels"]["com.docker.compose.service"]
            one_shot = state["HostConfig"]["RestartPolicy"]["Name"] == "no"
            health = state["State"].get("Health", {}).get("Status", "healthy")
            if not one_shot and (not state["State"]["Running"] or health != "healthy"):
                found.append(service)
        return sorted(found)

    @cached_property
    def _name(self) -> str:
        return str(json.loads(self.compose("config", "--format", "json"))["name"])

    def python(self, container: Container, program: str, *arguments: str) -> str:
        """The output of a Python program run inside a container."""
        return self._run("docker", "exec", container.identity, "python", "-c", program, *arguments)

    @contextmanager
    def opened(self, container: Container, *command: str) -> Generator["subprocess.Popen[str]"]:
        """A process inside a container, with pipes to its input and output."""
        whole = ("docker", "exec", "--interactive", container.identity, *command)
        process = subprocess.Popen(whole, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=self._folder)
        try:
            yield process
        finally:
            process.kill()
            process.communicate()

    def query(self, database: str, statement: str) -> list[list[str]]:
        """Rows, as text."""
        command = (
            "exec",
            "-T",
            "postgres",
            "psql",
            "-U",
            "postgres",
            "-d",
            database,
            "-At",
            "-F",
            "\t",
            "-c",
            statement,
        )
        return [line.split("\t") for line in self.compose(*command).splitlines()]

    def _run(self, *command: str) -> str:
        return run(command, self._folder)


def run(command: Sequence[str], folder: Path, seconds: float = _COMMAND_SECONDS) -> str:
    finished = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=seconds)
    if finished.returncode:
        raise CommandError(f"{' '.join(command)}: {finished.stderr.strip()}")
    return finished.stdout
