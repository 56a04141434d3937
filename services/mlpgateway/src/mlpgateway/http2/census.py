"""The open connections, and the choice of which to close when there are too many."""

import time
from collections.abc import Callable, Iterator

from mlpgateway.http2.connection import Http2Connection
from mlpgateway.http2.frames import Code
from mlpgateway.http2.limits import Http2Limits
from mlpgateway.http2.metrics import CONNECTIONS
from mlplace_kit.networks import subscriber_of
from mlplace_runtime.process.descriptors import descriptor_limit

_SHARE_OF_FILES = 0.5
_SEARCH_SECONDS = 0.25


class Census:
    """A new connection above a limit replaces the oldest unproven connection that is not being served: of its address,
    or of the one that has most. Addresses are those of `subscriber_of`.

    If the total is exceeded and there is no such connection, it replaces the oldest connection without a call.
    """

    def __init__(self, limits: Http2Limits, believes: Callable[[str], bool]) -> None:
        """`believes` recognises the addresses of proxies in front, whose connections serve many callers."""
        self._limits = limits
        self._believes = believes
        self._all: dict[Http2Connection, None] = {}
        self._unproven: dict[Http2Connection, None] = {}
        self._of: dict[str, dict[Http2Connection, None]] = {}
        self._next_search = 0.0
        self._most = min(limits.connections, max(16, int(descriptor_limit() * _SHARE_OF_FILES)))

    def __iter__(self) -> Iterator[Http2Connection]:
        return iter(list(self._all))

    def __len__(self) -> int:
        return len(self._all)

    @property
    def unproven(self) -> list[Http2Connection]:
        return list(self._unproven)

    def came(self, connection: Http2Connection) -> None:
        self._all[connection] = None
        trusted = self._believes(connection.address)
        CONNECTIONS.labels("yes" if trusted else "no").inc()
        if trusted:
            connection.trust()
        else:
            self._unproven[connection] = None
            own = self._of.setdefault(subscriber_of(connection.address), {})
            own[connection] = None
            if len(own) > self._limits.unproven_of_address:
                self._close_one(own, connection)
        if len(self._unproven) > self._limits.unproven:
            crowd = max(self._of.values(), key=len)
            self._close_one(crowd if any(each.idle for each in crowd) else self._unproven, connection)
        elif len(self._all) > self._most and not self._make_room(connection):
            self._close_one({}, connection)

    def proven(self, connection: Http2Connection) -> None:
        if self._forget(connection):
            CONNECTIONS.labels("no").dec()
            CONNECTIONS.labels("yes").inc()

    def lost(self, connection: Http2Connection) -> None:
        if self._all.pop(connection, connection) is connection:
            return
        CONNECTIONS.labels("no" if self._forget(connection) else "yes").dec()

    def _forget(self, connection: Http2Connection) -> bool:
        """Removes a connection from the unproven ones. Returns False when it was not one of them."""
        if self._unproven.pop(connection, connection) is connection:
            return False
        holder = subscriber_of(connection.address)
        own = self._of[holder]
        del own[connection]
        if not own:
            del self._of[holder]
        return True

    def _make_room(self, newcomer: Http2Connection) -> bool:
        """Closes the oldest idle unproven connection, or else the oldest connection without a call.

        Its client reconnects when it has a request, so nobody can lock others out just by holding connections.
        """
        victim = next((each for each in self._unproven if each.idle and each is not newcomer), None)
        now = time.monotonic()
        if victim is None and now >= self._next_search:
            free = (each for each in self._all if not each.calls and not each.closing and each is not newcomer)
            victim = next(free, None)
            if victim is None:
                self._next_search = now + _SEARCH_SECONDS
        if victim is None:
            return False
        victim.close()
        self.proven(victim)  # it counts until it is closed, but is not chosen again
        return True

    def _close_one(self, among: dict[Http2Connection, None], newcomer: Http2Connection) -> None:
        victim = next((each for each in among if each.idle), newcomer)
        victim.fail(Code.ENHANCE_YOUR_CALM if victim is newcomer else Code.NO_ERROR, "too many connections")
        self.proven(victim)  # it counts until it is closed, but is not chosen again
