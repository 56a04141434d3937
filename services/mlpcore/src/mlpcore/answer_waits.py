"""Answers that are sent only when something has happened elsewhere, for example an instance has connected."""

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Final

from fastapi import Response
from starlette.types import Receive, Scope, Send

_MOST: Final = 100
_MOST_OF_ACCOUNT: Final = 10
_SECONDS: Final = 0.5


class AnswerWaits:
    """A process lets at most 100 answers wait at a time, 10 of an account; further ones are sent at once."""

    def __init__(self) -> None:
        self._waiting: Counter[int] = Counter()

    async def until(self, happened: Callable[[], Awaitable[bool]], *, account_id: int, seconds: float) -> None:
        """Returns when it has happened, some time after `seconds`, or at once if too many others wait.

        A question in progress is not cancelled: that would close the connection that it uses.
        """
        if self._waiting.total() >= _MOST or self._waiting[account_id] >= _MOST_OF_ACCOUNT:
            return
        self._waiting[account_id] += 1
        try:
            ends = time.monotonic() + seconds
            while not await happened() and time.monotonic() < ends:  # noqa: ASYNC110  it happens in other processes, too
                await asyncio.sleep(_SECONDS)
        finally:
            self._waiting[account_id] -= 1
            self._waiting += Counter()  # drops accounts that have none


class LateResponse(Response):
    """An empty answer that is sent when `wait` has returned. The request's transaction has ended before."""

    def __init__(self, wait: Callable[[], Awaitable[None]]) -> None:
        super().__init__()
        self._wait = wait

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._wait()
        await super().__call__(scope, receive, send)
