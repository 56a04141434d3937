"""Finds the containers that an agent has started."""

from pathlib import Path

import docker
from docker.models.containers import Container

from mlplace_agent.runtimes.container_options import AGENT_LABEL

SERVER_LABEL = "ai.mlplace.agent.server"
"""The label by which versions before 0.1.0 recognised containers. Servers of two installations may have equal ids."""


def containers_of(client: docker.DockerClient, agent_id: str) -> list[Container]:
    return _with_label(client, AGENT_LABEL, agent_id)


class FormerContainers:
    """Containers that a version before 0.1.0 started on this server. They carry the id of the server, not the agent's.

    An agent that begins in the state folder of such a version looks for them until it finds none. The file `pending`
    says that it has to.
    """

    def __init__(self, pending: Path, *, server_id: int) -> None:
        self._pending = pending
        self._server_id = server_id

    def find(self, client: docker.DockerClient) -> list[Container]:
        if not self._pending.exists():
            return []
        listed = _with_label(client, SERVER_LABEL, str(self._server_id))
        found = [container for container in listed if AGENT_LABEL not in container.labels]
        if not found:
            self._pending.unlink(missing_ok=True)
        return found


def _with_label(client: docker.DockerClient, name: str, value: str) -> list[Container]:
    wanted: dict[str, str | list[str] | bool] = {"label": f"{name}={value}"}
    return client.containers.list(all=True, filters=wanted, ignore_removed=True)
