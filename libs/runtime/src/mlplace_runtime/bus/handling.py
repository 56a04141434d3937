"""Handles one event: its effect and its inbox note in one transaction, inside the trace that the event came from."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
import structlog
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.events import Envelope, Event, decode
from mlplace_contracts.topics import Topic
from mlplace_runtime.bus.port import Record
from mlplace_runtime.bus.tracing import consuming
from mlplace_runtime.db.messaging import dead_letter, inbox
from mlplace_runtime.telemetry.metrics import EVENTS_HANDLED, EVENTS_PARKED

log = structlog.get_logger(__name__)

LONGEST_REASON = 2000

# The same statement for one event or a thousand: building it anew cost as much as handling the events.
_NOTE = (
    postgresql.insert(inbox)
    .from_select(
        ["consumer", "event_id"],
        sa.select(
            sa.bindparam("by", type_=sa.Text),
            sa.func.unnest(sa.bindparam("event_ids", type_=postgresql.ARRAY(postgresql.UUID(as_uuid=True)))),
        ),
    )
    .on_conflict_do_nothing()
    .returning(inbox.c.event_id)
)

Handler = Callable[[AsyncSession, Sequence[Event]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Consumer:
    """`handle` gets the events of its types in order, within the transaction that notes them in the inbox.

    It must not call the network. It may run for several keys at once, but in order for each key. An event that it
    refuses on its own is parked in `dead_letter` with the reason.
    """

    name: str
    topics: tuple[Topic, ...]
    types: tuple[type[Event], ...]
    handle: Handler


@dataclass(frozen=True, slots=True)
class Received:
    record: Record
    envelope: Envelope
    event: Event


def received(consumer: Consumer, record: Record) -> Received | None:
    """Returns None for a tombstone or an event of another type. Raises ValueError for a record that is not an event."""
    if not record.value:
        return None
    envelope, event = decode(record.value)
    if event is None or not isinstance(event, consumer.types):
        return None
    return Received(record, envelope, event)


async def apply(session: AsyncSession, consumer: Consumer, items: Sequence[Received]) -> int:
    """Handles events that the inbox does not know. Returns their number; they are done once the caller commits."""
    fresh = await _note(session, consumer, items)
    if fresh:
        with consuming(consumer.name, [item.envelope for item in fresh]):
            await consumer.handle(session, [item.event for item in fresh])
    return len(fresh)


async def _note(session: AsyncSession, consumer: Consumer, items: Sequence[Received]) -> list[Received]:
    unique = {item.envelope.event_id: item for item in items}
    noted = set((await session.execute(_NOTE, {"by": consumer.name, "event_ids": list(unique)})).scalars())
    return [item for event_id, item in unique.items() if event_id in noted]


async def park(session: AsyncSession, consumer: str, record: Record, reason: str) -> None:
    """Adds a dead letter, unless the same event is already waiting there after an earlier delivery."""
    values = {"consumer": consumer, "topic": record.topic, "key": record.key, "value": record.value}
    known = sa.exists().where(
        dead_letter.c.replayed_at.is_(None), *(dead_letter.c[name] == value for name, value in values.items())
    )
    row = {**values, "reason": reason[:LONGEST_REASON]}
    fresh = sa.select(*(sa.literal(value, type_=dead_letter.c[name].type) for name, value in row.items())).where(~known)
    await session.execute(sa.insert(dead_letter).from_select(list(row), fresh))


def tell_parked(consumer: str, record: Record, reason: str, *, service: str = "") -> None:
    """Counts and logs a parked event. `service` is the one whose outbox it comes from."""
    EVENTS_PARKED.labels(consumer=f"{service}.{consumer}" if service else consumer).inc()
    log.error("event_parked", consumer=consumer, topic=record.topic, key=record.key, reason=reason)


def count_handled(consumer: Consumer, number: int) -> None:
    EVENTS_HANDLED.labels(consumer=consumer.name).inc(number)
