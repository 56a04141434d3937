"""Consumers: handlers of events, each effect once, whatever the bus delivers twice."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
import sqlalchemy.exc as sa_exc
import structlog
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.events import Envelope, Event, decode
from mlplace_contracts.topics import Topic
from mlplace_runtime.bus.port import Delivered, EventBus, Subscription
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import dead_letter, inbox
from mlplace_runtime.tasks import Loop
from mlplace_runtime.telemetry.metrics import EVENTS_HANDLED, EVENTS_PARKED

log = structlog.get_logger(__name__)

_BATCH = 500
_POLL_SECONDS = 1.0
_ATTEMPTS = 5
_FIRST_RETRY_SECONDS = 0.1

# Classes of SQLSTATE: connection, serialization and deadlock, resources, lock not available, operator, system.
_DATABASE_TROUBLE = frozenset({"08", "40", "53", "55", "57", "58"})

Handler = Callable[[AsyncSession, Sequence[Event]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Consumer:
    """`handle` gets the events of its types in order, within the transaction that notes them in the inbox.

    It must not call the network. An event that keeps failing alone is parked in `dead_letter` with the reason.
    """

    name: str
    topics: tuple[Topic, ...]
    types: tuple[type[Event], ...]
    handle: Handler


@dataclass(frozen=True, slots=True)
class _Received:
    delivered: Delivered
    envelope: Envelope
    event: Event


class ConsumerRunner:
    """Feeds one consumer: poll, handle and note in one transaction, then commit the offsets."""

    def __init__(self, consumer: Consumer, database: Database, bus: EventBus) -> None:
        self._consumer = consumer
        self._database = database
        self._bus = bus

    async def run(self) -> None:
        """Until cancelled. Survives the loss of the database and of the bus."""
        subscription = await self._bus.subscribe(self._consumer.topics, group=self._consumer.name)
        try:
            while True:
                await self._turn(subscription)
        finally:
            await subscription.close()

    async def _turn(self, subscription: Subscription) -> None:
        try:
            batch = await subscription.poll(max_records=_BATCH, timeout_seconds=_POLL_SECONDS)
            if batch:
                await self.handle(batch)
                await subscription.commit()
        except (OSError, sa_exc.SQLAlchemyError) as error:
            log.warning("consumer_interrupted", consumer=self._consumer.name, error=repr(error))
            await subscription.rewind()
            await asyncio.sleep(_FIRST_RETRY_SECONDS * 5)

    async def handle(self, batch: Sequence[Delivered]) -> None:
        """One transaction for the whole batch; when that fails, one for each event: only the bad one is parked."""
        received = [item for delivered in batch if (item := await self._decode(delivered))]
        if not received:
            return
        try:
            await self._apply(received)
        except Exception as error:  # noqa: BLE001  any failure of a handler: find out which event it is
            log.warning("consumer_batch_failed", consumer=self._consumer.name, error=repr(error), size=len(received))
            for item in received:
                await self._apply_alone(item)

    async def _decode(self, delivered: Delivered) -> _Received | None:
        try:
            envelope, event = decode(delivered.record.value)
        except ValueError as error:
            await self._park(delivered, f"not an event: {error}")
            return None
        if event is None or not isinstance(event, self._consumer.types):
            return None
        return _Received(delivered, envelope, event)

    async def _apply_alone(self, item: _Received) -> None:
        for attempt in range(_ATTEMPTS):
            try:
                return await self._apply([item])
            except (OSError, sa_exc.InterfaceError, sa_exc.OperationalError):
                raise  # the database is away: the event is not to blame
            except Exception as error:
                if _is_of_the_database(error):
                    raise
                if attempt == _ATTEMPTS - 1:
                    await self._park(item.delivered, repr(error))
                    return None
                await asyncio.sleep(_FIRST_RETRY_SECONDS * 2**attempt)
        return None

    async def _apply(self, items: Sequence[_Received]) -> None:
        async with self._database.transaction() as session:
            fresh = await self._note(session, items)
            if fresh:
                await self._consumer.handle(session, [item.event for item in fresh])
        EVENTS_HANDLED.labels(consumer=self._consumer.name).inc(len(fresh))

    async def _note(self, session: AsyncSession, items: Sequence[_Received]) -> list[_Received]:
        unique = {item.envelope.event_id: item for item in items}
        rows = [{"consumer": self._consumer.name, "event_id": event_id} for event_id in unique]
        statement = postgresql.insert(inbox).values(rows).on_conflict_do_nothing().returning(inbox.c.event_id)
        noted = set((await session.execute(statement)).scalars())
        return [item for event_id, item in unique.items() if event_id in noted]

    async def _park(self, delivered: Delivered, reason: str) -> None:
        record = delivered.record
        values = {"topic": record.topic, "key": record.key, "value": record.value, "reason": reason[:2000]}
        async with self._database.transaction() as session:
            await session.execute(sa.insert(dead_letter).values(consumer=self._consumer.name, **values))
        EVENTS_PARKED.labels(consumer=self._consumer.name).inc()
        log.error("event_parked", consumer=self._consumer.name, topic=record.topic, key=record.key, reason=reason)


def _is_of_the_database(error: Exception) -> bool:
    """Lost locks, shutdowns, full disks: asyncpg's classes for them reach us as plain DBAPIError, told by SQLSTATE."""
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, sa_exc.DBAPIError) else None
    return isinstance(state, str) and state[:2] in _DATABASE_TROUBLE


def consumer_loops(consumers: Iterable[Consumer], database: Database, bus: EventBus) -> list[Loop]:
    return [Loop(consumer.name, ConsumerRunner(consumer, database, bus).run) for consumer in consumers]


class Projection:
    """A read model in memory, built from the whole of its topics and kept up to date.

    `apply` gets each event in order and must be quick and free of I/O; it ignores versions older than what it holds.
    """

    def __init__(self, *, name: str, topics: tuple[Topic, ...], apply: Callable[[Event], None], bus: EventBus) -> None:
        self._name = name
        self._topics = topics
        self._apply = apply
        self._bus = bus
        self.ready = asyncio.Event()

    async def run(self) -> None:
        """Until cancelled. `ready` is set when all that the topics held at the start has been applied."""
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
            for delivered in await subscription.poll(max_records=_BATCH, timeout_seconds=_POLL_SECONDS):
                self._apply_one(delivered)
        except OSError as error:
            log.warning("projection_interrupted", projection=self._name, error=repr(error))
            await asyncio.sleep(_FIRST_RETRY_SECONDS * 5)

    def _apply_one(self, delivered: Delivered) -> None:
        try:
            _, event = decode(delivered.record.value)
            if event is not None:
                self._apply(event)
        except ValueError:
            log.exception("projection_event_unreadable", projection=self._name)


def still_reading(projections: Mapping[str, Projection]) -> dict[str, str]:
    """Those that do not know yet what has happened so far, with the reason; empty when all do."""
    waiting = "still reading what has happened so far"
    return {name: waiting for name, projection in projections.items() if not projection.ready.is_set()}
