"""Backoff and rate-limited logging for a worker while something that it depends on is unavailable."""

import asyncio
import random
import time
from collections.abc import Callable

import structlog

from mlplace_runtime.backoff import Backoff

log = structlog.get_logger(__name__)

_FIRST_SECONDS = 0.1
_SPREAD = 0.5
_MOST_SECONDS = 2.0
_REPEAT_SECONDS = 30.0


class Outage:
    """Tracks outages of one worker's dependency. Call `failed` after each failure and `over` after each success.

    Logs the beginning of an outage, its state every 30 s, and its end. An outage that begins within 30 s of the last
    line is logged only after these 30 s, so that flapping writes no more lines than a long outage. Pauses double up to
    `most_seconds`; up to half of each pause is random, so that many workers do not retry in step.
    """

    def __init__(
        self,
        worker: str,
        *,
        most_seconds: float = _MOST_SECONDS,
        seconds: Callable[[], float] = time.monotonic,
        chance: Callable[[], float] = random.random,
    ) -> None:
        self._worker = worker
        self._pauses = Backoff(first=_FIRST_SECONDS, longest=most_seconds, spread=_SPREAD)
        self._seconds = seconds
        self._chance = chance
        self._since: float | None = None
        self._failures = 0
        self._told = False
        self._quiet_until = float("-inf")

    @property
    def lasting(self) -> bool:
        return self._since is not None

    def failed(self, error: BaseException) -> float:
        """Returns the seconds to wait before the next attempt."""
        now = self._seconds()
        self._since = now if self._since is None else self._since
        self._failures += 1
        if now >= self._quiet_until:
            self._tell("outage_continued" if self._told else "outage_began", now, error=repr(error)[:500])
            self._told, self._quiet_until = True, now + _REPEAT_SECONDS
        return self._pauses.seconds(self._failures, chance=self._chance)

    async def wait_after(self, error: BaseException) -> None:
        await asyncio.sleep(self.failed(error))

    def over(self) -> None:
        if self._since is None:
            return
        if self._told:
            self._tell("outage_ended", self._seconds())
        self._since, self._failures, self._told = None, 0, False

    def _tell(self, event: str, now: float, **more: str) -> None:
        lasted = round(now - (now if self._since is None else self._since), 1)
        level = log.info if event == "outage_ended" else log.warning
        level(event, worker=self._worker, failures=self._failures, seconds=lasted, **more)
