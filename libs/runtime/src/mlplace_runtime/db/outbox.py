"""Publishing: an event is a row of the outbox, written in the transaction that made it true."""

import asyncio
import itertools
from collections.abc import Iterable
from typing import Protocol

import sqlalchemy as sa
import sqlalchemy.exc as sa_exc
import structlog
from opentelemetry.propagate import inject
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from mlplace_contracts.events import Envelope, Event, encode
from mlplace_kit.clock import Clock, SystemClock
from mlplace_kit.ids import new_event_id
from mlplace_runtime.bus.port import EventBus, Record
from mlplace_runtime.db.database import Database, mark_outbox_written
from mlplace_runtime.db.messaging import outbox
from mlplace_runtime.telemetry.metrics import OUTBOX_SHIPPED

log = structlog.get_logger(__name__)

_RELAY_LOCK = 0x6D6C_7072  # the same in every database: one relay per service, not per platform
_BATCH = 1000
_IDLE_SECONDS = 0.2
_RETRY_SECONDS = 0.5


class Publisher(Protocol):
    """What a service publishes through."""

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
    """The row of one event, with an id of its own and the current trace context."""
    carrier: dict[str, str] = {}
    inject(carrier)
    envelope = Envelope(
        event_id=new_event_id(),
        type_name=event.type_name,
        occurred_at=clock.now(),
        trace_parent=carrier.get("traceparent"),
        payload=event.model_dump(mode="json"),
    )
    return {"topic": event.topic.name, "key": event.key, "value": encode(envelope)}


class OutboxRelay:
    """Ships outbox rows to the bus, oldest first, and deletes what the bus has accepted.

    Rows are claimed by being there, never by "id greater than the last one": sequences commit out of order. One relay
    per database at a time holds an advisory lock, so events of one key keep their order. A crash between accept and
    delete ships a row twice; consumers know the event id.
    """

    def __init__(self, database: Database, bus: EventBus, *, name: str) -> None:
        self._database = database
        self._bus = bus
        self._name = name

    async def run(self) -> None:
        """Until cancelled. Survives the loss of the database and of the bus."""
        while True:
            try:
                await self._lead()
            except (OSError, sa_exc.SQLAlchemyError) as error:
                log.warning("outbox_relay_interrupted", service=self._name, error=type(error).__name__)
                await asyncio.sleep(_RETRY_SECONDS)

    async def _lead(self) -> None:
        # The lock belongs to the connection: closing it is what lets the next relay in.
        async with self._database.dedicated_connection() as connection:
            await self._wait_for_lock(connection)
            await self._ship_forever(connection)

    @staticmethod
    async def _wait_for_lock(connection: AsyncConnection) -> None:
        """Until the relay of another process has let go of it."""
        statement = sa.select(sa.func.pg_try_advisory_lock(_RELAY_LOCK))
        for _ in itertools.count():
            if (await connection.execute(statement)).scalar_one():
                return
            await asyncio.sleep(_RETRY_SECONDS)

    async def _ship_forever(self, connection: AsyncConnection) -> None:
        while True:
            self._database.outbox_written.clear()
            if await self.ship_once(connection):
                continue
            try:
                async with asyncio.timeout(_IDLE_SECONDS):
                    await self._database.outbox_written.wait()
            except TimeoutError:
                pass

    async def ship_once(self, connection: AsyncConnection) -> int:
        """Ship one batch. Returns how many rows it held. Errors of the bus leave the rows where they are."""
        rows = (await connection.execute(sa.select(outbox).order_by(outbox.c.id).limit(_BATCH))).all()
        if not rows:
            return 0
        try:
            await self._bus.publish([Record(row.topic, row.key, row.value) for row in rows])
        except Exception as error:  # noqa: BLE001  whatever ails the bus, the rows stay and are tried again
            log.warning("outbox_publish_failed", service=self._name, error=repr(error))
            await asyncio.sleep(_RETRY_SECONDS)
            return 0
        await connection.execute(sa.delete(outbox).where(outbox.c.id.in_([row.id for row in rows])))
        OUTBOX_SHIPPED.labels(service=self._name).inc(len(rows))
        return len(rows)


def rows_of(events: Iterable[Event], clock: Clock) -> list[dict[str, object]]:
    """Rows for a bulk insert into the outbox, for writers that group many events into one statement."""
    return [outbox_row(event, clock) for event in events]
