"""Moves records from a subscription into a consumer's backlog, and commits the offsets of what is done."""

import asyncio
from collections.abc import Callable
from typing import Final

import structlog

from mlplace_runtime.bus.backlog import Backlog
from mlplace_runtime.bus.handling import Consumer, received
from mlplace_runtime.bus.port import Delivered, EventBus, Subscription
from mlplace_runtime.outage import Outage
from mlplace_runtime.telemetry.metrics import EVENTS_PARKED, EVENTS_UNREAD, EVENTS_WAITING

log = structlog.get_logger(__name__)

_BATCH: Final = 500
_MOST_WAITING: Final = 5000
"""Events read ahead of the handler. Lanes in trouble may fill it up; then all other lanes wait, too."""
COUNT_SECONDS: Final = 15.0
"""As often as metrics are usually read."""
_FULL_SECONDS: Final = 30.0
"""Kafka considers a member dead that does not poll for minutes, so a full backlog still reads one record at times."""


class Reading:
    """`count_seconds`: the time between two counts of the events that are not read."""

    def __init__(
        self,
        consumer: Consumer,
        bus: EventBus,
        subscription: Subscription,
        backlog: Backlog,
        *,
        count_seconds: float = COUNT_SECONDS,
    ) -> None:
        self._consumer = consumer
        self._bus = bus
        self._subscription = subscription
        self._backlog = backlog
        self._outage = Outage(consumer.name)
        self._progress = asyncio.Event()
        self._room = asyncio.Event()
        self._count_seconds = count_seconds
        EVENTS_WAITING.labels(consumer=consumer.name).set(backlog.size)
        EVENTS_UNREAD.labels(consumer=consumer.name).set(0)
        EVENTS_PARKED.labels(consumer=consumer.name)  # a rate begins at zero, not at the first parked event

    def tell_progress(self) -> None:
        self._progress.set()
        EVENTS_WAITING.labels(consumer=self._consumer.name).set(self._backlog.size)
        if self._backlog.size < _MOST_WAITING:
            self._room.set()

    async def read(self, arrived: Callable[[], None]) -> None:
        """Runs until cancelled."""
        while True:
            limit = _BATCH if await self._has_room() else 1
            try:
                batch = await self._subscription.poll(max_records=limit, timeout_seconds=self._bus.poll_seconds)
            except OSError as error:
                await self._outage.wait_after(error)
                continue
            if batch or not self._bus.trouble():  # an empty poll may also mean that there is no connection
                self._outage.over()
            for delivered in batch:
                self._add(delivered)
            if batch:
                self.tell_progress()
                arrived()

    async def count(self) -> None:
        """Runs until cancelled. Counts beside reading, which stands still when the backlog is full."""
        unread = EVENTS_UNREAD.labels(consumer=self._consumer.name)
        failed = False
        while True:
            await asyncio.sleep(self._count_seconds)
            try:
                number = await self._subscription.unread()
            except OSError as error:
                if not failed:
                    log.warning("unread_events_not_counted", consumer=self._consumer.name, error=str(error))
                failed = True
                continue
            failed = False
            if number is not None:
                unread.set(number)

    async def commit(self) -> None:
        """Runs until cancelled. Commits after progress; further progress during a commit is covered by the next one."""
        while True:
            await self._progress.wait()
            self._progress.clear()
            try:
                await self._subscription.commit(self._backlog.committable())
            except OSError as error:
                self._progress.set()
                await self._outage.wait_after(error)

    async def _has_room(self) -> bool:
        if self._backlog.size < _MOST_WAITING:
            return True
        self._room.clear()
        try:
            async with asyncio.timeout(_FULL_SECONDS):
                await self._room.wait()
        except TimeoutError:
            return False
        return True

    def _add(self, delivered: Delivered) -> None:
        try:
            item = received(self._consumer, delivered.record)
        except ValueError as error:
            self._backlog.add(delivered, None, f"not an event: {error}")
            return
        if item is None:
            self._backlog.skip(delivered)
        else:
            self._backlog.add(delivered, item)
