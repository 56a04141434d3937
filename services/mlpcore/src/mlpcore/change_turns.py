"""Changes of the instances of one account wait for each other, and those that wait hold no connection.

Each change locks the account's limits until it commits. Waiting for that lock in the database would take a connection
for each request that waits, so a dozen starts of one account would stop all requests of the process.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Final

from mlpcore.errors import TooManyChanges

_AT_ONCE: Final = 6
"""Half of the connections of a process."""
_MOST_OF_CALLER: Final = 16
_MOST: Final = 4096
"""Bounds memory only: 256 callers reach it together."""
_LONGEST: Final = 20.0
"""Seconds. Clients give up after 30."""

_Waiter = asyncio.Future[None]


class ChangeTurns:
    """A process handles one change of a caller at a time, and six in all. 16 more of one caller may wait, for 20 s.

    The waiting callers take turns, however many changes each of them has. When too many wait in all, the callers with
    the most waiting changes lose their newest ones. `caller`: who acts, mostly an account; so a stranger who starts a
    service takes no turns of its owner.
    """

    def __init__(self, *, longest: float = _LONGEST) -> None:
        self._longest = longest
        self._busy = set[str]()
        self._waiting: dict[str, deque[_Waiter]] = {}
        """Callers in the order of their turns. None has an empty queue."""
        self._count = 0

    @asynccontextmanager
    async def turn(self, caller: str, left: Callable[[], Awaitable[object]] | None = None) -> AsyncGenerator[None]:
        """Waits for the caller's turn. `left` returns when nobody waits for the answer any more.

        Raises TooManyChanges, also for a change whose turn did not come in time and for one that its caller has left.
        """
        if caller in self._busy or len(self._busy) >= _AT_ONCE:
            await self._wait(caller, left)
        else:
            self._busy.add(caller)
        try:
            yield
        finally:
            self._end(caller)

    async def _wait(self, caller: str, left: Callable[[], Awaitable[object]] | None) -> None:
        place = self._enter(caller)
        watch = asyncio.ensure_future(left()) if left else None
        has_turn = False
        try:
            awaited = {place} if watch is None else {place, watch}
            await asyncio.wait(awaited, timeout=self._longest, return_when=asyncio.FIRST_COMPLETED)
            if not place.done() or (watch is not None and watch.done()):
                raise TooManyChanges
            place.result()
            has_turn = True
        finally:
            if not has_turn:
                self._leave(caller, place)
            if watch is not None:
                watch.cancel()
                await asyncio.gather(watch, return_exceptions=True)

    def _enter(self, caller: str) -> _Waiter:
        mine = len(self._waiting.get(caller, ()))
        if mine >= _MOST_OF_CALLER:
            raise TooManyChanges
        if self._count >= _MOST:
            longest = max(self._waiting.values(), key=len)
            if mine + 1 >= len(longest):
                raise TooManyChanges
            longest[-1].set_exception(TooManyChanges())
            longest.pop()  # at least one is left
            self._count -= 1
        place: _Waiter = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(caller, deque()).append(place)
        self._count += 1
        return place

    def _leave(self, caller: str, place: _Waiter) -> None:
        """Gives up the place, or the turn that came meanwhile."""
        if place.done():
            if place.exception() is None:
                self._end(caller)
            return
        queue = self._waiting[caller]
        queue.remove(place)
        self._count -= 1
        if not queue:
            del self._waiting[caller]

    def _end(self, caller: str) -> None:
        self._busy.discard(caller)
        for waiting in [each for each in self._waiting if each not in self._busy]:
            if len(self._busy) >= _AT_ONCE:
                return
            queue = self._waiting.pop(waiting)
            queue.popleft().set_result(None)
            self._count -= 1
            self._busy.add(waiting)
            if queue:
                self._waiting[waiting] = queue  # behind the others
