"""Divides large work over iterations of the event loop, so that one peer does not keep the others waiting."""

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from typing import Final

_TURNS: Final = 4

Work = Callable[[], None]


class Turns:
    """Runs at most four pieces of work per iteration of the event loop, round-robin over the waiting keys.

    Exactly: between two runs of `_turn`, which may have a place anywhere in an iteration.
    """

    def __init__(self) -> None:
        self._waiting: dict[Hashable, deque[Work]] = {}
        self._done = 0
        self._armed = False

    def ask(self, key: Hashable, work: Work) -> None:
        """Runs the work now if this iteration has room and nothing waits; else queues it."""
        if self._waiting or self._done >= _TURNS:
            self._queue(key, work)
        else:
            self._arm()
            self._done += 1
            work()

    async def wait(self, key: Hashable) -> None:
        """Returns at the caller's turn, in one of the next iterations. At most four callers go on in one.

        A caller goes on in the iteration after its turn. So none has its turn at once, beside those of the one before.
        """
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._queue(key, lambda: None if turn.done() else turn.set_result(None))
        await turn

    def _queue(self, key: Hashable, work: Work) -> None:
        self._waiting.setdefault(key, deque()).append(work)
        self._arm()

    def _arm(self) -> None:
        if not self._armed:
            self._armed = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        self._armed = False
        self._done = 0
        try:
            while self._waiting and self._done < _TURNS:
                key = next(iter(self._waiting))
                works = self._waiting.pop(key)
                work = works.popleft()
                if works:
                    self._waiting[key] = works  # behind the others
                self._done += 1
                work()
        finally:
            if self._done:
                self._arm()
