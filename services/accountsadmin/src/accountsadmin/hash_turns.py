"""Schedules password hashing fairly, because hashing takes most of the CPU time of this service."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from accountsadmin.metrics import HASHES_REFUSED
from mlplace_kit.errors import Unavailable

_Waiter = asyncio.Future[None]


class _Line:
    """A queue whose shares take turns, whatever number of waiters each has."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._shares: dict[str, deque[_Waiter]] = {}
        self._size = 0

    def __bool__(self) -> bool:
        return self._size > 0

    def join(self, share: str) -> _Waiter:
        """Adds a waiter. A full queue drops the newest waiter of its largest share, with Unavailable.

        Raises Unavailable if the queue is full and no share has more waiters than this one would have.
        """
        if self._size >= self._most:
            largest = max(self._shares, key=lambda name: len(self._shares[name]))
            HASHES_REFUSED.inc()
            if len(self._shares[largest]) <= len(self._shares.get(share, ())) + 1:
                raise Unavailable
            self._take(largest, self._shares[largest][-1]).set_exception(Unavailable())
        waiter = asyncio.get_running_loop().create_future()
        self._shares.setdefault(share, deque()).append(waiter)
        self._size += 1
        return waiter

    def next(self) -> _Waiter:
        share = next(iter(self._shares))
        waiter = self._take(share, self._shares[share][0])
        if share in self._shares:  # behind the other shares
            self._shares[share] = self._shares.pop(share)
        return waiter

    def leave(self, share: str, waiter: _Waiter) -> None:
        if waiter in self._shares.get(share, ()):
            self._take(share, waiter)

    def _take(self, share: str, waiter: _Waiter) -> _Waiter:
        waiters = self._shares[share]
        waiters.remove(waiter)
        if not waiters:
            del self._shares[share]
        self._size -= 1
        return waiter


class HashTurns:
    """Allows `workers` turns at once. Known and unknown askers have separate queues, which take turns."""

    def __init__(self, workers: int, *, most_waiting: int) -> None:
        self._free = workers
        self._lines = {known: _Line(most_waiting) for known in (True, False)}
        self._known_next = True

    @asynccontextmanager
    async def turn(self, share: str, *, known: bool) -> AsyncGenerator[None]:
        """Waits for a turn. Raises Unavailable if too many wait."""
        await self._begin(share, self._lines[known])
        try:
            yield
        finally:
            self._end()

    async def _begin(self, share: str, line: _Line) -> None:
        if self._free:
            self._free -= 1
            return
        waiter = line.join(share)
        try:
            await waiter
        except asyncio.CancelledError:
            line.leave(share, waiter)
            if waiter.done() and not waiter.cancelled() and waiter.exception() is None:
                self._end()  # the turn was granted at the moment of the cancellation
            raise

    def _end(self) -> None:
        """Passes the turn on to the next waiter."""
        for known in (self._known_next, not self._known_next):
            if self._lines[known]:
                self._known_next = not known
                self._lines[known].next().set_result(None)
                return
        self._free += 1
