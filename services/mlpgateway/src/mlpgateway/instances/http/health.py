"""Health checks of an instance: its page is requested again and again."""

import asyncio
from contextlib import suppress
from typing import Final

import structlog

from mlpgateway.instances.http.client.errors import ExchangeError
from mlpgateway.instances.http.client.exchange import exchange
from mlpgateway.instances.http.client.pool import Pool
from mlpgateway.instances.http.client.request import OutgoingRequest
from mlpgateway.instances.http.client.response import Response
from mlplace_kit.errors import DomainError

log = structlog.get_logger(__name__)

_SECONDS: Final = 5.0
_CONNECT_SECONDS: Final = 3.0
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 5.0
_PAUSE_WHILE_WELL: Final = 5.0
_FAILURES: Final = 2
_MOST_PAGE: Final = 64 * 1024


class Health:
    """The health of one instance. One failed check is forgiven, unless a call could not reach the instance either."""

    def __init__(self, pool: Pool, page: str) -> None:
        self._pool = pool
        self._page = page
        self._doubted = asyncio.Event()
        self._turned = asyncio.Event()
        self._failures = 0
        self._pause = _FIRST_PAUSE
        self.well = False

    def doubt(self) -> None:
        """Starts a check at once, because a call could not reach the instance."""
        self._failures = max(self._failures, _FAILURES - 1)
        self._doubted.set()

    async def look(self) -> None:
        """Starts a check at once, and returns after it."""
        turned = self._turned
        self._doubted.set()
        await turned.wait()

    async def turn(self) -> bool:
        """Runs one check. Returns True when the result differs from the last one."""
        self._doubted.clear()
        turned, self._turned = self._turned, asyncio.Event()
        before = self.well
        if await self._asked():
            self._failures, self._pause, self.well = 0, _FIRST_PAUSE, True
        else:
            self._failures += 1
            self.well = self.well and self._failures < _FAILURES
        turned.set()
        return self.well is not before

    async def rest(self) -> None:
        """Waits until the next check is due or requested. While the instance does not answer, the pause grows."""
        seconds = _PAUSE_WHILE_WELL if self.well and not self._failures else self._pause
        if not self.well:
            self._pause = min(2 * self._pause, _LONGEST_PAUSE)
        try:
            async with asyncio.timeout(seconds):
                await self._doubted.wait()
        except TimeoutError:
            pass

    async def _asked(self) -> bool:
        try:
            async with asyncio.timeout(_SECONDS) as time:
                request = OutgoingRequest("GET", self._page, repeatable=True)
                response = await exchange(self._pool, request, urgent=True, connect_seconds=_CONNECT_SECONDS)
        except DomainError as error:
            log.info("instance_not_permitted", reason=error.text)
            return False
        except (ExchangeError, TimeoutError):
            return False
        try:
            await _finish(response, time.when())
        finally:
            await response.close()
        return 200 <= response.status < 400


async def _finish(response: Response, until: float | None) -> None:
    """Reads a small page to its end, so that its connection can be used again. Ignores errors: the status is known."""
    if response.length is None or response.length > _MOST_PAGE:
        return
    with suppress(ExchangeError, TimeoutError):
        async with asyncio.timeout_at(until):
            while await response.piece():
                pass
