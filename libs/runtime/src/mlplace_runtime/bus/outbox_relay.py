"""Ships the rows of the outbox to the bus."""

import asyncio
import contextlib
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa
import sqlalchemy.exc as sa_exc
from sqlalchemy.ext.asyncio import AsyncConnection

from mlplace_runtime.bus.handling import tell_parked
from mlplace_runtime.bus.port import EventBus, Record
from mlplace_runtime.bus.publishing import publish_or_park
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import dead_letter, outbox
from mlplace_runtime.db.outbox import UNSHIPPED
from mlplace_runtime.db.polling import ONE, poll
from mlplace_runtime.outage import Outage
from mlplace_runtime.telemetry.metrics import DEAD_LETTERS, OUTBOX_SHIPPED, OUTBOX_WAITING

_RELAY_LOCK = 0x6D6C_7072  # the same key in every database: one relay per service, not per platform
_BATCH = 1000
_IDLE_SECONDS, _IDLE_ALONE_SECONDS = 0.2, 5.0
_LOCK_SECONDS = 0.5
_COUNT_SECONDS = 15.0
_OLDEST = sa.select(outbox).order_by(outbox.c.id).limit(_BATCH)
# An idle relay repeats this query, for what other processes write. This process wakes the relay when it writes.
_ANY = sa.select(outbox.c.id).limit(ONE)


@dataclass(frozen=True, slots=True)
class _Waiting:
    id: int
    record: Record


class OutboxRelay:
    """Ships outbox rows to the bus, oldest first, and deletes what the bus has accepted.

    It reads whatever rows exist, not "id greater than the last one", because sequence numbers commit out of order. An
    advisory lock allows one relay per database, so that events of one key keep their order. A crash between accept and
    delete ships a row twice; consumers recognize the event id. Events that the bus refuses for good, such as too large
    ones, are parked as dead letters, so that the rest can go on.
    """

    def __init__(self, database: Database, bus: EventBus, *, name: str) -> None:
        self._database = database
        self._bus = bus
        self._name = name
        self._database_outage = Outage(f"{name}.outbox-relay")
        self._bus_outage = Outage(f"{name}.outbox-relay to the bus")
        self._count_due = 0.0
        self._idle_seconds = _IDLE_ALONE_SECONDS if bus.alone else _IDLE_SECONDS

    async def run(self) -> None:
        """Runs until cancelled. Survives the loss of the database and of the bus."""
        while True:
            try:
                await self._lead()
            except (OSError, sa_exc.SQLAlchemyError) as error:
                await self._database_outage.wait_after(error)

    async def _lead(self) -> None:
        # The lock belongs to the connection; closing the connection releases it for the next relay.
        async with self._database.dedicated_connection() as connection:
            await self._wait_for_lock(connection)
            self._database_outage.over()
            try:
                await self._ship_forever(connection)
            finally:  # the next leader, possibly in another process, reports these
                OUTBOX_WAITING.labels(service=self._name).set(0)
                DEAD_LETTERS.labels(service=self._name).set(0)

    @staticmethod
    async def _wait_for_lock(connection: AsyncConnection) -> None:
        """Waits until the relay of another process has released the lock."""
        statement = sa.select(sa.func.pg_try_advisory_lock(_RELAY_LOCK))
        for _ in itertools.count():
            if (await connection.execute(statement)).scalar_one():
                return
            await asyncio.sleep(_LOCK_SECONDS)

    async def _ship_forever(self, connection: AsyncConnection) -> None:
        while True:
            await self._count_dead_letters(connection)
            self._database.outbox_written.clear()
            if not await self._ship_batch(connection):
                await self._wait_for_rows()

    async def _wait_for_rows(self) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._idle_seconds):
                await self._database.outbox_written.wait()

    async def _ship_batch(self, connection: AsyncConnection) -> bool:
        """Returns whether there were rows. If the bus fails, they stay, and this returns after a pause."""
        if not await poll(connection, _ANY):
            OUTBOX_WAITING.labels(service=self._name).set(0)
            return False
        found = await connection.execute(_OLDEST)
        rows = [_Waiting(row.id, Record(row.topic, row.key, row.value)) for row in found]
        OUTBOX_WAITING.labels(service=self._name).set(len(rows))
        try:
            await self._ship(connection, rows)
        except sa_exc.SQLAlchemyError:
            raise
        except Exception as error:  # noqa: BLE001  whatever the bus's error is, the rows stay and are retried
            await self._bus_outage.wait_after(error)
        else:
            self._bus_outage.over()
        return True

    async def _ship(self, connection: AsyncConnection, rows: Sequence[_Waiting]) -> None:
        async def published(places: Sequence[int]) -> None:
            await connection.execute(sa.delete(outbox).where(outbox.c.id.in_([rows[place].id for place in places])))
            OUTBOX_SHIPPED.labels(service=self._name).inc(len(places))

        async def park(place: int, reason: str) -> None:
            await self._park(connection, rows[place], reason)

        await publish_or_park(self._bus, [row.record for row in rows], park=park, published=published)

    async def _park(self, connection: AsyncConnection, row: _Waiting, reason: str) -> None:
        # One statement, because there is no transaction: the event must be in exactly one of the two tables.
        gone = (
            sa.delete(outbox)
            .where(outbox.c.id == row.id)
            .returning(sa.literal(UNSHIPPED), outbox.c.topic, outbox.c.key, outbox.c.value, sa.literal(reason))
            .cte("gone")
        )
        columns = ["consumer", "topic", "key", "value", "reason"]
        await connection.execute(sa.insert(dead_letter).from_select(columns, sa.select(gone)))
        tell_parked(UNSHIPPED, row.record, reason, service=self._name)

    async def _count_dead_letters(self, connection: AsyncConnection) -> None:
        now = asyncio.get_running_loop().time()
        if now >= self._count_due:
            self._count_due = now + _COUNT_SECONDS
            waiting = sa.select(sa.func.count()).where(dead_letter.c.replayed_at.is_(None))
            DEAD_LETTERS.labels(service=self._name).set((await connection.execute(waiting)).scalar_one())
