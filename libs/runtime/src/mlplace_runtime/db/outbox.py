"""Publishes events by writing outbox rows in the transaction that makes the change."""

from collections.abc import Iterable
from typing import Protocol

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.events import Event, encode_event
from mlplace_kit.clock import Clock, SystemClock
from mlplace_kit.ids import new_event_id
from mlplace_runtime.db.database import mark_outbox_written
from mlplace_runtime.db.messaging import outbox
from mlplace_runtime.telemetry.current import trace_parent

UNSHIPPED = "outbox"
"""Stands for the consumer in the dead letter of an event that the bus refused."""


class Publisher(Protocol):
    """The interface through which a service publishes events."""

    async def add(self, *events: Event) -> None: ...


class Outbox:
    """Appends events to the outbox within the caller's transaction."""

    def __init__(self, session: AsyncSession, clock: Clock | None = None) -> None:
        self._session = session
        self._clock = clock or SystemClock()

    async def add(self, *events: Event) -> None:
        if events:
            await self._session.execute(sa.insert(outbox), [self._row(event) for event in events])
            mark_outbox_written(self._session)

    def _row(self, event: Event) -> dict[str, object]:
        return outbox_row(event, self._clock)


def outbox_row(event: Event, clock: Clock) -> dict[str, object]:
    return {"topic": event.topic.name, "key": event.key, "value": enveloped(event, clock)}


def enveloped(event: Event, clock: Clock) -> bytes:
    """Returns the encoded event with a new id and the current trace context."""
    return encode_event(event, event_id=new_event_id(), occurred_at=clock.now(), trace_parent=trace_parent())


def rows_of(events: Iterable[Event], clock: Clock) -> list[dict[str, object]]:
    """Returns rows for a bulk insert into the outbox, for writers that group many events into one statement."""
    return [outbox_row(event, clock) for event in events]
