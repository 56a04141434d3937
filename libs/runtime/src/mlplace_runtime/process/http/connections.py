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


class Connection(Protocol):
    """`idle_seconds` is None during a request. `proved`: the caller of the last request was authenticated."""

    @property
    def idle_seconds(self) -> float | None: ...

    @property
    def proved(self) -> bool: ...

    def evict(self) -> None: ...


Waiting = OrderedDict[Connection, None]  # oldest first


@dataclass(eq=False, slots=True)
class _Address:
    count: int = 0
    fresh: Waiting = field(default_factory=Waiting)


@dataclass(eq=False, slots=True)
class Seat:
    """One counted connection. `of` is None for a trusted proxy, which serves many callers."""

    connection: Connection
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
        self._seats: dict[Seat, None] = {}
        self._fresh: Waiting = OrderedDict()
        self._idle: list[Connection] = []  # the next one to evict is last
        self._next_search = 0.0
        self._from = limits.connections - limits.reserve
        self.crowded = False
        """Whether only the reserve is left."""

    def __len__(self) -> int:
        return len(self._seats)

    def admit(self, connection: Connection, address: str) -> Seat | Reason:
        """Returns a seat, or the reason for refusing one."""
        network = _network(address)
        of = None if self._trusted(address) else self._addresses.get(network) or _Address()
        if of is not None and of.count >= self._limits.connections_of_address and not _evict_first(of.fresh):
            return Reason.CONNECTIONS_OF_ADDRESS
        if self.crowded and not self._make_room() and len(self._seats) >= self._limits.connections:
            return Reason.CONNECTIONS
        seat = Seat(connection, network, of)
        if of is not None:
            self._addresses[network] = of
            of.count += 1
            of.fresh[connection] = None
        self._fresh[connection] = None
        self._seats[seat] = None
        self.crowded = len(self._seats) >= self._from
        return seat

    def settle(self, seat: Seat) -> None:
        """Marks the connection as no longer fresh: its first head is complete."""
        self._fresh.pop(seat.connection, None)
        if seat.of is not None:
            seat.of.fresh.pop(seat.connection, None)

    def release(self, seat: Seat) -> None:
        if self._seats.pop(seat, seat) is not None:
            return
        self.settle(seat)
        self.crowded = len(self._seats) >= self._from
        if seat.of is not None:
            seat.of.count -= 1
            if not seat.of.count:
                self._addresses.pop(seat.address, None)

    def _make_room(self) -> bool:
        if _evict_first(self._fresh):
            return True
        if not self._idle and self._seconds() >= self._next_search:
            self._next_search = self._seconds() + _SEARCH_SECONDS
            self._idle = _longest_idle_last(seat.connection for seat in self._seats if seat.of is not None)
        while self._idle:
            connection = self._idle.pop()
            if connection.idle_seconds is not None:
                connection.evict()
                return True
        return False


def _evict_first(waiting: Waiting) -> bool:
    """Removes it from the list at once; its seat is released when the connection is closed."""
    if not waiting:
        return False
    connection, _ = waiting.popitem(last=False)
    connection.evict()
    return True


def _longest_idle_last(connections: Iterable[Connection]) -> list[Connection]:
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
