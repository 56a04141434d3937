"""Connections to databases that tenants set, under the rules of egress.

The driver resolves names and connects by itself, also to members that a server reports. To check every connection, the
driver's only function that opens connections is replaced: it resolves the name once, checks the addresses, and connects
to exactly one of them. TLS still verifies the name.
"""

import asyncio
import ssl
from collections.abc import Mapping
from types import FunctionType
from typing import Any, Final, cast

from pymongo import AsyncMongoClient
from pymongo.asynchronous import pool as driver
from pymongo.asynchronous.pool import AsyncConnection, Pool
from pymongo.network_layer import AsyncNetworkingInterface, PyMongoProtocol
from pymongo.pool_options import PoolOptions

from mlpgateway.egress.client import JudgingResolver, LookUp
from mlpgateway.egress.errors import AddressNotAllowed
from mlpgateway.egress.rules import EgressRules

Document = Mapping[str, Any]
Client = AsyncMongoClient[dict[str, Any]]

_CONNECT_MS: Final = 2_000
_MOST_MESSAGE_BYTES: Final = 20 * 1024 * 1024
# These override the address's options. Nothing waits long, nothing is retried, and few connections are kept.
_OPTIONS: Final[dict[str, Any]] = {
    "connect": False,
    "connectTimeoutMS": _CONNECT_MS,
    "serverSelectionTimeoutMS": _CONNECT_MS,
    "socketTimeoutMS": 5_000,
    "waitQueueTimeoutMS": 500,
    "maxPoolSize": 16,
    "minPoolSize": 0,
    "maxIdleTimeMS": 60_000,
    "retryReads": False,
    "retryWrites": False,
    "serverMonitoringMode": "poll",
    "tz_aware": True,
}


class _BoundedConnection(AsyncConnection):
    """Bounds the message size that a server may announce."""

    @property
    def max_message_size(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]  # bounded on purpose
        return min(self._told, _MOST_MESSAGE_BYTES)

    @max_message_size.setter
    def max_message_size(self, size: int) -> None:
        self._told = size


class Guard:
    """Opens the connections of one client. `denied` is set once a connection was not allowed."""

    def __init__(self, rules: EgressRules, look_up: LookUp) -> None:
        self._resolver = JudgingResolver(rules, look_up)
        self.denied = False

    def pool_class(self) -> type[Pool]:
        known = {
            **vars(driver),
            "_configured_protocol_interface": self._connected,
            "AsyncConnection": _BoundedConnection,
        }
        original = cast("FunctionType", Pool.connect)
        connect = FunctionType(original.__code__, known, original.__name__, original.__defaults__, original.__closure__)
        return cast("type[Pool]", type("GuardedPool", (Pool,), {"connect": connect}))

    async def _connected(
        self, address: tuple[str, int], options: PoolOptions, _sessions: object = None
    ) -> AsyncNetworkingInterface:
        """Raises OSError."""
        host, port = address
        failure: OSError = ConnectionRefusedError("the name has no address")
        for judged in await self._judged(host, port):
            try:
                return await _opened(host, (judged, port), options)
            except OSError as error:
                failure = error
        raise failure

    async def _judged(self, host: str, port: int) -> list[str]:
        try:
            return [found["host"] for found in await self._resolver.resolve(host, port)]
        except AddressNotAllowed:
            self.denied = True
            raise ConnectionRefusedError("the address is not one that may be called") from None
        except UnicodeError:
            raise ConnectionRefusedError("the name is none") from None


async def _opened(host: str, judged: tuple[str, int], options: PoolOptions) -> AsyncNetworkingInterface:
    """Replaces the driver's function, which leaves the socket open when its caller is cancelled."""
    context = cast("ssl.SSLContext | None", options._ssl_context)  # noqa: SLF001  # pyright: ignore[reportPrivateUsage]  # see above
    async with asyncio.timeout(_CONNECT_MS / 1000):
        opened = await asyncio.get_running_loop().create_connection(
            lambda: PyMongoProtocol(timeout=options.socket_timeout),
            *judged,
            ssl=context,
            server_hostname=host if context else None,
        )
    return AsyncNetworkingInterface(opened)


def open_client(uri: str, guard: Guard) -> Client:
    """Returns a client that connects on first use. Raises PyMongoError for an address that the driver cannot parse."""
    return AsyncMongoClient(uri, **_OPTIONS, _pool_class=guard.pool_class())
