"""The Docker network of the instances, in which none of them reaches another.

Instances of different accounts share a server. In the engine's default network each could call the others directly:
without a gate, hence without a key, a limit or a charge.
"""

import threading
from collections.abc import Mapping
from typing import Final, cast

import docker

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
        found = client.networks.list(names=[f"^{SEPARATE}$"])  # pyright: ignore[reportUnknownMemberType]  # the SDK's types lack it
        if not found:
            client.networks.create(SEPARATE, driver="bridge", options={_OPTION: "false"})
            return
    described = [cast("Mapping[str, dict[str, str] | None]", network.attrs) for network in found]
    if any((each.get("Options") or {}).get(_OPTION) != "false" for each in described):
        message = f"the Docker network {SEPARATE} connects instances: remove it, and the agent makes it anew"
        raise StartFailedError("StartError", message)
