"""The Docker network of the instances, in which none of them reaches another.

Instances of different accounts share a server. In the engine's default network each could call the others directly:
without a gate, hence without a key, a limit or a charge.
"""

import threading
from typing import Final

import docker
import docker.errors

from mlplace_agent.config import SEPARATE
from mlplace_agent.runtimes.port import StartFailedError

_OPTION: Final = "com.docker.network.bridge.enable_icc"
_MAKING: Final = threading.Lock()
"""Two starts at once make one network."""


def ensure_network(client: docker.DockerClient, name: str) -> None:
    """Makes the network if it is the agent's own and missing. Raises StartFailedError if it separates nobody."""
    if name != SEPARATE:
        return
    with _MAKING:
        found = client.networks.list(names=[f"^{SEPARATE}$"])
        if not found:
            client.networks.create(SEPARATE, driver="bridge", options={_OPTION: "false"})
            return
    if any((network.attrs.get("Options") or {}).get(_OPTION) != "false" for network in found):
        message = f"the Docker network {SEPARATE} lets instances reach each other: remove it, and the agent makes it anew"
        raise StartFailedError("StartError", message)
