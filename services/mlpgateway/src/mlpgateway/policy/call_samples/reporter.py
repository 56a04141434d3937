"""Reports the counted calls at the end of each interval. Nothing is lost while the database is away."""

import asyncio
import math
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final

import structlog

from mlpgateway.call.wake_up import Writer
from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.policy.call_samples.counting import CallCounting
from mlpgateway.policy.call_samples.totals import CallTotals
from mlplace_contracts.events import CallsSampled
from mlplace_kit.clock import Clock

log = structlog.get_logger(__name__)

_MOST_IN_REPORT: Final = 500
_MOST_KEPT: Final = 2_000
"""Reports that wait for the database: hours of an ordinary gate. Then the oldest are dropped."""
_LAST_SECONDS: Final = 2.0


class SampleReporter:
    """Run `run` as a task. Intervals end at whole multiples of `seconds` of the clock."""

    def __init__(
        self,
        counting: CallCounting,
        writer: Writer,
        clock: Clock,
        *,
        seconds: float,
        totals: CallTotals | None = None,
    ) -> None:
        """`totals` None: nobody asks for them."""
        self.counting = counting
        self.totals = totals
        self._writer = writer
        self._clock = clock
        self._seconds = seconds
        self._reporter = uuid.uuid4()
        self._sequence = 0
        self._since = clock.now()
        self._kept: deque[CallsSampled] = deque()

    async def run(self) -> None:
        """Reports until cancelled, and a last time at the end."""
        try:
            while True:
                await self._rest()
                await self.end_interval()
                await self.write_all()
        finally:
            self.close_interval()
            await self._last_words()

    def close_interval(self) -> Sequence[CallsSampled]:
        """Adds the reports of the interval that ends now, in parts of 500 entries; one part even without calls."""
        since, now = self._since, self._clock.now()
        self._since = now
        if now <= since:  # the clock was set back: what was counted belongs to the time that it shows
            since = now - timedelta(seconds=self._seconds)
        instances, callers = self.counting.close_interval()
        parts: list[CallsSampled] = []
        for first in range(0, max(len(instances), len(callers), 1), _MOST_IN_REPORT):
            self._sequence += 1
            part = slice(first, first + _MOST_IN_REPORT)
            report = CallsSampled(
                reporter=self._reporter,
                sequence=self._sequence,
                started_at=since,
                ended_at=now,
                instances=tuple(instances[part]),
                callers=tuple(callers[part]),
            )
            parts.append(report)
        self._kept.extend(parts)
        while len(self._kept) > _MOST_KEPT:
            dropped = self._kept.popleft()
            log.warning("samples_dropped", ended_at=dropped.ended_at.isoformat())
        return parts

    async def end_interval(self) -> None:
        """Closes the interval and adds it to the totals. Calls go on between two parts."""
        reports = self.close_interval()
        if self.totals is None:
            return
        for report in reports:
            self.totals.add(report)
            await asyncio.sleep(0)
        self.totals.settle(self._clock.now())

    async def write_all(self) -> None:
        """Writes the reports in order. One whose write fails stays: mlpcore counts a report that it has seen once."""
        for report in self._pending():
            try:
                await asyncio.shield(self._writer.add(report))
            except UsageNotRecorded:
                return
            self._kept.popleft()

    def _pending(self) -> Iterator[CallsSampled]:
        while self._kept:
            yield self._kept[0]

    async def _last_words(self) -> None:
        try:
            async with asyncio.timeout(_LAST_SECONDS):
                await self.write_all()
        except TimeoutError:
            log.warning("samples_not_written", reports=len(self._kept))

    async def _rest(self) -> None:
        """Waits for the end of the interval. The clock may be set meanwhile, so the wait is measured by the loop."""
        await asyncio.sleep(next_end(self._clock.now(), self._seconds))


def next_end(now: datetime, seconds: float) -> float:
    """Returns the seconds until the next whole multiple of `seconds` since 1970, never 0."""
    passed = now.astimezone(UTC).timestamp()
    return (math.floor(passed / seconds) + 1) * seconds - passed
