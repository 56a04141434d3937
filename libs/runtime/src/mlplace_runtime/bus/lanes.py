"""The workers of one consumer. They work through its backlog so that trouble with one key delays no other key."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

import structlog

from mlplace_runtime.backoff import Backoff
from mlplace_runtime.bus.applying import Applier, may_heal
from mlplace_runtime.bus.backlog import Arrival, Backlog, LaneKey
from mlplace_runtime.bus.handling import Received
from mlplace_runtime.failures import is_away
from mlplace_runtime.outage import Outage
from mlplace_runtime.telemetry.metrics import LANES_APART

log = structlog.get_logger(__name__)

_TOGETHER = 500
_APART = 50
_APART_WORKERS = 2
_SUBSTITUTES = 2
_PATIENCE_SECONDS = 0.5
_ATTEMPTS = 5
_PAUSES = Backoff(first=0.1, longest=2.0)

_Result = TypeVar("_Result")


class Lanes:
    """`worked` is called after each step.

    The first worker handles up to 500 events in one transaction. When that fails, each lane of the batch gets its next
    turn alone. A lane that fails alone stays apart for a minute; two workers serve such lanes. Once the first
    worker has been stuck for half a second, substitutes continue with the other lanes.
    """

    def __init__(self, name: str, applier: Applier, backlog: Backlog, *, worked: Callable[[], None]) -> None:
        self._name = name
        self._applier = applier
        self._backlog = backlog
        self._worked = worked
        self._outage = Outage(f"{name} in the database")
        self._news = asyncio.Event()
        self._news_apart = asyncio.Event()
        self._busy = asyncio.Event()
        self._busy_since = 0.0

    def workers(self) -> list[Callable[[], Awaitable[None]]]:
        return [self._first, *[self._substitute] * _SUBSTITUTES, *[self._apart] * _APART_WORKERS]

    def tell(self) -> None:
        """Wakes the workers: the backlog has changed."""
        self._news.set()
        self._news_apart.set()

    async def _first(self) -> None:
        while True:
            arrivals = await _taken(lambda: self._backlog.take(_TOGETHER), self._news)
            self._busy_since = _now()
            self._busy.set()
            try:
                await self._together(arrivals)
            finally:
                self._busy.clear()

    async def _substitute(self) -> None:
        while True:
            await self._busy.wait()
            await asyncio.sleep(_PATIENCE_SECONDS)
            if self._busy.is_set() and _now() - self._busy_since >= _PATIENCE_SECONDS:
                arrivals = self._backlog.take(_TOGETHER)
                if arrivals:
                    await self._together(arrivals)

    async def _apart(self) -> None:
        while True:
            arrivals = await _taken(lambda: self._backlog.take_apart(_APART), self._news_apart)
            if not await self._lane_together(arrivals):
                await self._singly(arrivals)
            LANES_APART.labels(consumer=self._name).set(self._backlog.apart)
            self._step()

    async def _together(self, arrivals: Sequence[Arrival]) -> None:
        try:
            await self._awaited(lambda: self._applier.together(_readable(arrivals)))
        except Exception as error:  # noqa: BLE001  handlers raise anything; the separate turns show which lane caused it
            log.warning("consumer_batch_failed", consumer=self._name, error=repr(error), size=len(arrivals))
            self._backlog.scatter(arrivals)
        else:
            self._backlog.done(arrivals)
        self._step()

    async def _lane_together(self, arrivals: Sequence[Arrival]) -> bool:
        """Tries one lane in one transaction: most lanes of a failed batch are fine. Returns False on failure."""
        if len(arrivals) == 1 or self._backlog.in_trouble(arrivals[0].lane):
            return False
        try:
            await self._awaited(lambda: self._applier.together(_readable(arrivals)))
        except Exception:  # noqa: BLE001  logged when the events are handled one by one
            return False
        self._backlog.done(arrivals)
        return True

    async def _singly(self, arrivals: Sequence[Arrival]) -> None:
        parked = False
        for at, arrival in enumerate(arrivals):
            try:
                parked |= await self._awaited(lambda arrival=arrival: self._alone(arrival))
            except Exception as error:
                if not may_heal(error):
                    raise
                self._pause(arrivals[:at], arrivals[at:], error)
                return
        self._backlog.done(arrivals, trouble=parked)

    async def _alone(self, arrival: Arrival) -> bool:
        if arrival.item is None:
            await self._applier.park(arrival.delivered.record, arrival.fault)
            return True
        last = self._backlog.failures(arrival.lane) >= _ATTEMPTS - 1
        return await self._applier.alone(arrival.item, last_attempt=last)

    def _pause(self, done: Sequence[Arrival], rest: Sequence[Arrival], error: Exception) -> None:
        lane = rest[0].lane
        failures = self._backlog.pause(done, rest)
        log.warning("consumer_lane_paused", consumer=self._name, topic=lane[0], key=lane[1], error=repr(error))
        asyncio.get_running_loop().call_later(_PAUSES.seconds(failures), self._resume, lane)

    def _resume(self, lane: LaneKey) -> None:
        self._backlog.resume(lane)
        self.tell()

    async def _awaited(self, work: Callable[[], Awaitable[_Result]]) -> _Result:
        """Retries for as long as the database is unreachable, since then no lane could make progress."""
        while True:
            try:
                result = await work()
            except Exception as error:
                if not is_away(error) or isinstance(error, TimeoutError):
                    raise
                await self._outage.wait_after(error)
            else:
                self._outage.over()
                return result

    def _step(self) -> None:
        self.tell()
        self._worked()


async def _taken(take: Callable[[], list[Arrival]], news: asyncio.Event) -> list[Arrival]:
    while True:
        news.clear()
        taken = take()
        if taken:
            return taken
        await news.wait()


def _readable(arrivals: Sequence[Arrival]) -> list[Received]:
    """Raises ValueError if a record is not an event."""
    for arrival in arrivals:
        if arrival.item is None:
            raise ValueError(arrival.fault)
    return [arrival.item for arrival in arrivals if arrival.item]


def _now() -> float:
    return asyncio.get_running_loop().time()
