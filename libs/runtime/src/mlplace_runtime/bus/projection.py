"""In-memory read models."""

import asyncio
from collections.abc import Callable, Mapping

import structlog

from mlplace_contracts.events import Event, decode
from mlplace_contracts.topics import Topic
from mlplace_runtime.bus.port import Delivered, EventBus, Subscription
from mlplace_runtime.outage import Outage

log = structlog.get_logger(__name__)

_BATCH = 500


class Projection:
    """An in-memory read model, built from all records of its topics and kept up to date.

    `apply` gets each event in order. It must be quick and do no I/O, and ignores versions older than what it holds.
    """

    def __init__(self, *, name: str, topics: tuple[Topic, ...], apply: Callable[[Event], None], bus: EventBus) -> None:
        self._name = name
        self._topics = topics
        self._apply = apply
        self._bus = bus
        self._outage = Outage(name)
        self.ready = asyncio.Event()

    async def run(self) -> None:
        """Runs until cancelled. Sets `ready` when everything that the topics held at the start has been applied."""
        subscription = await self._bus.subscribe(self._topics, group=None)
        try:
            while True:
                await self._turn(subscription)
        finally:
            await subscription.close()

    async def _turn(self, subscription: Subscription) -> None:
        try:
            if not self.ready.is_set() and await subscription.caught_up():
                self.ready.set()
            batch = await subscription.poll(max_records=_BATCH, timeout_seconds=self._bus.poll_seconds)
            for delivered in batch:
                self._apply_one(delivered)
        except OSError as error:
            await self._outage.wait_after(error)
        else:
            if batch or not self._bus.trouble():  # an empty poll may also mean that there is no connection
                self._outage.over()

    def _apply_one(self, delivered: Delivered) -> None:
        record = delivered.record
        if not record.value:
            return  # a tombstone: the key's last event already carried its final state
        try:
            _, event = decode(record.value)
            if event is not None:
                self._apply(event)
        except ValueError:
            log.exception("projection_event_unreadable", projection=self._name, topic=record.topic, key=record.key)


def still_reading(projections: Mapping[str, Projection]) -> dict[str, str]:
    """Returns the projections that have not caught up yet, with the reason; empty if all have."""
    waiting = "still reading what has happened so far"
    return {name: waiting for name, projection in projections.items() if not projection.ready.is_set()}
