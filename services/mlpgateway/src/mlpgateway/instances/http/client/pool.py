"""The connections to one instance. The last used one is used first; those that are idle for long are closed."""

import asyncio
from collections import deque
from collections.abc import Callable
from contextlib import suppress

from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.connection import HttpConnection
from mlpgateway.instances.http.client.connector import Connector
from mlpgateway.instances.http.client.errors import NotConnectedError
from mlpgateway.instances.http.client.limits import CONNECT_SECONDS, PoolLimits
from mlplace_runtime.process.turns import Turns


class Pool:
    """`take` and `connection` return a connection for one request. Satisfies Owner."""

    def __init__(
        self,
        connector: Connector,
        address: Address,
        limits: PoolLimits,
        *,
        turns: Turns,
        emptied: Callable[["Pool"], None],
    ) -> None:
        """`emptied` is called when a retired pool has no connection any more."""
        self._connector = connector
        self._address = address
        self._limits = limits
        self._turns = turns
        self._emptied = emptied
        self._open: set[HttpConnection] = set()
        self._connecting = 0
        self._idle: deque[HttpConnection] = deque()  # the last used one is last
        self._waiters: deque[asyncio.Future[HttpConnection | None]] = deque()
        self._timer: asyncio.TimerHandle | None = None
        self._retired = self._closed = False
        self.authority = address.authority
        """The value of the Host header."""

    def __len__(self) -> int:
        """Returns the number of connections, open ones and those that are being opened."""
        return len(self._open) + self._connecting

    def take(self) -> HttpConnection | None:
        """Returns an idle connection; None when there is none, or when others wait for one."""
        return None if self._waiters else self._pop_idle()

    @property
    def has_idle(self) -> bool:
        """Whether `take` returns a connection in this turn of the event loop."""
        idle = self._idle
        while idle and not idle[-1].is_open:
            idle.pop()
        return bool(idle) and not self._waiters

    async def connection(
        self, *, urgent: bool = False, fresh: bool = False, seconds: float = CONNECT_SECONDS
    ) -> HttpConnection:
        """Returns an idle connection or opens one within `seconds`. Waits in order while the limit is reached.

        `urgent`: does not wait, and may exceed the limit by one. `fresh`: no idle connection.
        Raises NotConnectedError, AddressNotAllowed.
        """
        while not self._retired:
            if not fresh and (urgent or not self._waiters) and (idle := self._pop_idle()) is not None:
                return idle
            if urgent or (len(self) < self._limits.connections and not self._waiters):
                self._connecting += 1
                return await self._connect(seconds)
            found = await self._turn()
            if found is None:
                return await self._connect(seconds)
            if found.is_open:
                return found
        raise _retired()

    def retire(self) -> None:
        """Closes idle connections now, and the others after their requests. Whoever waits for one gets none."""
        self._retired = True
        self._stop_timer()
        for connection in self._idle:
            connection.close()
        self._idle.clear()
        while (waiter := self._next_waiter()) is not None:
            waiter.set_exception(_retired())
        self._tell_if_empty()

    def close(self) -> None:
        """Closes all connections. Requests in progress fail."""
        self._closed = True
        self.retire()
        for connection in list(self._open):
            connection.close()

    def released(self, connection: HttpConnection) -> None:
        waiter = self._next_waiter()
        if waiter is not None:
            waiter.set_result(connection)
        elif self._retired:
            connection.close()
        else:
            connection.idle_since = asyncio.get_running_loop().time()
            self._idle.append(connection)
            if self._timer is None:
                self._start_timer()

    def lost(self, connection: HttpConnection) -> None:
        if connection in self._open:
            self._open.remove(connection)
            if connection in self._idle:
                self._idle.remove(connection)
            self._room_made()

    def turn(self, work: Callable[[], None]) -> None:
        self._turns.ask(self._address, work)

    def _pop_idle(self) -> HttpConnection | None:
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open:
                return connection
        return None

    async def _connect(self, seconds: float) -> HttpConnection:
        """Expects that the new connection is counted in `_connecting` already."""
        try:
            connection = await self._connector.connect(self._address, lambda: HttpConnection(self), seconds)
        except BaseException:
            self._connecting -= 1
            self._room_made()
            raise
        self._connecting -= 1
        if self._closed:
            connection.close()
        if not connection.is_open:
            self._room_made()
            raise NotConnectedError("it closed the connection at once")
        self._open.add(connection)
        return connection

    async def _turn(self) -> HttpConnection | None:
        """Returns a connection that became free, or None: room for another one, counted in `_connecting`."""
        waiter: asyncio.Future[HttpConnection | None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        try:
            return await waiter
        except asyncio.CancelledError:
            if waiter.cancelled():
                with suppress(ValueError):  # it may have been passed over already
                    self._waiters.remove(waiter)
            elif waiter.exception() is None:
                self._give_back(waiter.result())
            raise

    def _give_back(self, granted: HttpConnection | None) -> None:
        if granted is None:
            self._connecting -= 1
            self._room_made()
        elif granted.is_open:
            self.released(granted)

    def _next_waiter(self) -> "asyncio.Future[HttpConnection | None] | None":
        while self._waiters:
            waiter = self._waiters.popleft()
            if not waiter.done():
                return waiter
        return None

    def _room_made(self) -> None:
        if self._waiters and len(self) < self._limits.connections:
            waiter = self._next_waiter()
            if waiter is not None:
                self._connecting += 1
                waiter.set_result(None)
        self._tell_if_empty()

    def _tell_if_empty(self) -> None:
        if self._retired and not len(self):
            self._emptied(self)

    def _start_timer(self) -> None:
        due = self._idle[0].idle_since + self._limits.idle_seconds
        self._timer = asyncio.get_running_loop().call_at(due, self._close_idle)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _close_idle(self) -> None:
        self._timer = None
        latest = asyncio.get_running_loop().time() - self._limits.idle_seconds
        while self._idle and self._idle[0].idle_since <= latest:
            self._idle.popleft().close()
        if self._idle:
            self._start_timer()


def _retired() -> NotConnectedError:
    return NotConnectedError("the instance may no longer be called")
