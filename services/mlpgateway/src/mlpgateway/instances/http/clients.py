"""The clients of instances: one pair for addresses that tenants set, one for those of the platform's own servers."""

from dataclasses import dataclass

from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.client import HttpClient
from mlpgateway.instances.http.socket_client import SocketClient


@dataclass(frozen=True, slots=True)
class Clients:
    """The client for requests and the one for WebSockets, under the same rules."""

    http: HttpClient
    sockets: SocketClient

    @classmethod
    def under(cls, rules: EgressRules, *, any_port: bool = False) -> "Clients":
        """`any_port`: see `Connector`. The port of a WebSocket was checked by the health checks of its instance."""
        return cls(HttpClient(rules, any_port=any_port), SocketClient(rules))

    async def close(self) -> None:
        await self.http.close()
        await self.sockets.close()


class ClientsByTrust:
    def __init__(self, tenants: Clients, platform: Clients) -> None:
        self._tenants = tenants
        self._platform = platform

    def of(self, address: Address) -> Clients:
        return self._platform if address.trusted else self._tenants

    async def close(self) -> None:
        await self._tenants.close()
        await self._platform.close()
