"""Counts a server's connections, in total and per address, and evicts some to make room for new ones."""

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Final, Protocol

from mlplace_runtime.process.http.limits import HttpLimits
from mlplace_runtime.process.http.refusals import Reason

_NETWORK_OF_A_CUSTOMER: Final = 64
_SEARCH_SECONDS: Final = 0.25


class EvictableConnection(Protocol):
    """`idle_seconds` is None during a request. `proved`: the caller of the last request was authenticated."""

    @property
    def idle_seconds(self) -> float | None: ...

    @property
    def proved(self) -> bool: ...

    def evict(self) -> None: ...


Waiting = OrderedDict[EvictableConnection, None]  # oldest first


@dataclass(eq=False, slots=True)
class _Address:
    count: int = 0
    fresh: Waiting = field(default_factory=Waiting)


@dataclass(eq=False, slots=True)
class CountedConnection:
    """A connection while it counts. `of` is None for a trusted proxy, which serves many callers."""

    connection: EvictableConnection
    address: str
    of: _Address | None


class Connections:
    """`trusted` tells whether an address belongs to a proxy that limits its own callers.

    A fresh connection has not sent a complete head yet. A full server first evicts the oldest fresh connection, then
    the one idle for longest, unauthenticated ones before others. An address at its own limit loses its oldest fresh
    connection.
    """

    def __init__(
        self,
        limits: HttpLimits,
        trusted: Callable[[str], bool],
        *,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits = limits
        self._trusted = trusted
        self._seconds = seconds
        self._addresses: dict[str, _Address] = {}
        self._counted: dict[CountedConnection, None] = {}
        self._fresh: Waiting = OrderedDict()
        self._idle: list[EvictableConnection] = []  # the next one to evict is last
        self._next_search = 0.0
        self._from = limits.connections - limits.reserve
        self.crowded = False
        """Whether only the reserve is left."""

    def __len__(self) -> int:
        return len(self._counted)

    def admit(self, connection: EvictableConnection, address: str) -> CountedConnection | Reason:
        """Returns the counted connection, or the reason for refusing it."""
        network = _network(address)
        of = None if self._trusted(address) else self._addresses.get(network) or _Address()
        if of is not None and of.count >= self._limits.connections_of_address and not _evict_first(of.fresh):
            return Reason.CONNECTIONS_OF_ADDRESS
        if self.crowded and not self._make_room() and len(self._counted) >= self._limits.connections:
            return Reason.CONNECTIONS
        counted = CountedConnection(connection, network, of)
        if of is not None:
            self._addresses[network] = of
            of.count += 1
            of.fresh[connection] = None
        self._fresh[connection] = None
        self._counted[counted] = None
        self.crowded = len(self._counted) >= self._from
        return counted

    def settle(self, counted: CountedConnection) -> None:
        """Marks the connection as no longer fresh: its first head is complete."""
        self._fresh.pop(counted.connection, None)
        if counted.of is not None:
            counted.of.fresh.pop(counted.connection, None)

    def release(self, counted: CountedConnection) -> None:
        if self._counted.pop(counted, counted) is not None:
            return
        self.settle(counted)
        self.crowded = len(self._counted) >= self._from
        if counted.of is not None:
            counted.of.count -= 1
            if not counted.of.count:
                self._addresses.pop(counted.address, None)

    def _make_room(self) -> bool:
        if _evict_first(self._fresh):
            return True
        if not self._idle and self._seconds() >= self._next_search:
            self._next_search = self._seconds() + _SEARCH_SECONDS
            self._idle = _longest_idle_last(counted.connection for counted in self._counted if counted.of is not None)
        while self._idle:
            connection = self._idle.pop()
            if connection.idle_seconds is not None:
                connection.evict()
                return True
        return False


def _evict_first(waiting: Waiting) -> bool:
    """Removes it from the list at once; it is released when it is closed."""
    if not waiting:
        return False
    connection, _ = waiting.popitem(last=False)
    connection.evict()
    return True


def _longest_idle_last(connections: Iterable[EvictableConnection]) -> list[EvictableConnection]:
    found = [(not c.proved, idle, n, c) for n, c in enumerate(connections) if (idle := c.idle_seconds) is not None]
    return [connection for *_, connection in sorted(found)]


def _network(address: str) -> str:
    """Returns the /64 network of an IPv6 address, as a customer has all of its addresses; others unchanged."""
    if ":" not in address:
        return address
    try:
        parsed = ipaddress.IPv6Address(address.partition("%")[0])
    except ValueError:
        return address
    if parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed, _NETWORK_OF_A_CUSTOMER), strict=False))
