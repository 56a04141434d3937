"""Where gates reach the port of a container."""

from pydantic import BaseModel, Field, ValidationError

from mlplace_agent.config import DockerOptions
from mlplace_agent.listening import LOOPBACK
from mlplace_agent.runtimes.port import HttpAddress
from mlplace_contracts.internal.hosting import DesiredInstance


def reached_at(
    instance: DesiredInstance, options: DockerOptions, advertised: str | None, settings: object
) -> HttpAddress | None:
    """`settings` is the engine's NetworkSettings of the running container. Returns None while it holds no address."""
    port = instance.http_port
    if port is None:
        return None
    if options.network_mode == "host":
        return HttpAddress(advertised or LOOPBACK, port)
    try:
        found = _Network.model_validate(settings)
    except ValidationError:
        return None
    if advertised is None:
        own = next((network.address for network in found.networks.values() if network.address), None)
        return HttpAddress(own, port) if own else None
    bound = next(iter(found.ports.get(f"{port}/tcp") or ()), None)
    return HttpAddress(advertised, int(bound.port)) if bound else None


class _Bound(BaseModel):
    port: str = Field(alias="HostPort")


class _Attached(BaseModel):
    address: str = Field(default="", alias="IPAddress")


class _Network(BaseModel):
    ports: dict[str, list[_Bound] | None] = Field(default={}, alias="Ports")
    networks: dict[str, _Attached] = Field(default={}, alias="Networks")
