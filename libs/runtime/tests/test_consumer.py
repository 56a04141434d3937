import asyncio
from collections.abc import Sequence
from typing import cast

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.events import Event, SessionRevoked
from mlplace_contracts.topics import SESSIONS
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.consumer import Consumer, ConsumerRunner, Projection
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Delivered, EventBus, Record
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import dead_letter, outbox
from mlplace_runtime.db.outbox import Outbox, outbox_row
from mlplace_runtime.tasks import Loop, running
from mlplace_runtime.telemetry.metrics import EVENTS_UNREAD
from mlplace_testing.waiting import eventually


def _delivered(event: Event, clock: ManualClock, offset: int) -> Delivered:
    row = outbox_row(event, clock)
    value = row["value"]
    assert isinstance(value, bytes)
    return Delivered(Record(event.topic.name, event.key, value), 0, offset)


class _Recorder:
    """A handler whose effect is a row, so that a rollback undoes it."""

    def __init__(self, clock: ManualClock, *, poison: int | None = None) -> None:
        self._clock = clock
        self._poison = poison

    async def handle(self, session: AsyncSession, events: Sequence[Event]) -> None:
        for event in events:
            assert isinstance(event, SessionRevoked)
            await Outbox(session, self._clock).add(event)
            if event.user_id == self._poison:
                raise ValueError("cannot digest this")

    def consumer(self) -> Consumer:
        return Consumer("recorder", (SESSIONS,), (SessionRevoked,), self.handle)


async def _effects(database: Database) -> int:
    async with database.transaction() as session:
        return (await session.execute(sa.select(sa.func.count()).select_from(outbox))).scalar_one()


async def _parked(database: Database) -> list[str]:
    async with database.transaction() as session:
        return list((await session.execute(sa.select(dead_letter.c.reason))).scalars())


class TestHandle:
    async def test_a_redelivered_event_has_no_second_effect(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        runner = ConsumerRunner(_Recorder(clock).consumer(), database, bus)
        one = _delivered(SessionRevoked(session_hash="a", user_id=1, revoked_at=clock.now()), clock, 1)
        await runner.handle([one, one])
        await runner.handle([one])
        assert await _effects(database) == 1

    async def test_only_the_bad_event_of_a_batch_is_parked(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        runner = ConsumerRunner(_Recorder(clock, poison=2).consumer(), database, bus)
        events = [SessionRevoked(session_hash="a", user_id=n, revoked_at=clock.now()) for n in (1, 2, 3)]
        await runner.handle([_delivered(event, clock, n) for n, event in enumerate(events)])
        assert await _effects(database) == 2
        assert await _parked(database) == ["ValueError('cannot digest this')"]

    @pytest.mark.parametrize("state", ["55P03", "40P01", "57P01"])
    async def test_trouble_of_the_database_parks_no_event(
        self, database: Database, bus: LocalBus, clock: ManualClock, state: str
    ) -> None:
        async def handle(session: AsyncSession, _: Sequence[Event]) -> None:
            await session.execute(sa.text(f"DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '{state}'; END $$"))

        runner = ConsumerRunner(Consumer("troubled", (SESSIONS,), (SessionRevoked,), handle), database, bus)
        one = _delivered(SessionRevoked(session_hash="a", user_id=1, revoked_at=clock.now()), clock, 1)
        with pytest.raises(DBAPIError):
            await runner.handle([one])
        assert await _parked(database) == []

    async def test_a_record_that_is_not_an_event_is_parked(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        runner = ConsumerRunner(_Recorder(clock).consumer(), database, bus)
        await runner.handle([Delivered(Record(SESSIONS.name, "a", b"\xff"), 0, 1)])
        assert len(await _parked(database)) == 1


class TestRun:
    async def test_a_restarted_consumer_continues_at_its_commit(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        consumer = _Recorder(clock).consumer()
        for number in range(2):
            event = SessionRevoked(session_hash="a", user_id=number, revoked_at=clock.now())
            await bus.publish([_delivered(event, clock, 0).record])
            async with running("test", [Loop("consumer", ConsumerRunner(consumer, database, bus).run)]):
                await eventually(lambda: _effects(database), until=lambda count, n=number: count == n + 1)


class _StandingStill:
    """A bus whose one subscription delivers nothing. `unread` is what it counts."""

    def __init__(self) -> None:
        self.alone = False
        self.poll_seconds = 1.0
        self.counted: int | OSError | None = None
        self.counts = 0

    async def subscribe(self, *_: object, **__: object) -> "_StandingStill":
        return self

    async def poll(self, **_: object) -> Sequence[Delivered]:
        await asyncio.Event().wait()
        return ()

    async def unread(self) -> int | None:
        self.counts += 1
        if isinstance(self.counted, OSError):
            raise self.counted
        return self.counted

    async def close(self) -> None: ...


class TestUnread:
    async def test_unread_events_are_counted_while_reading_stands_still(
        self, database: Database, clock: ManualClock
    ) -> None:
        bus, name = _StandingStill(), "standing still"
        consumer = Consumer(name, (SESSIONS,), (SessionRevoked,), _Recorder(clock).handle)

        async def told(counted: int | OSError | None) -> float:
            """Returns the metric after the bus has counted this."""
            bus.counted, counts = counted, bus.counts

            async def counted_since() -> int:
                return bus.counts - counts

            await eventually(counted_since, until=lambda number: number > 2, seconds=60)
            return EVENTS_UNREAD.labels(consumer=name)._value.get()

        runner = ConsumerRunner(consumer, database, cast("EventBus", bus), count_seconds=0.01)
        async with running("test", [Loop("consumer", runner.run)]):
            assert [await told(counted) for counted in (None, 7, None, OSError("no answer"), 0)] == [0, 7, 7, 7, 0]


class TestProjection:
    async def test_is_ready_after_existing_events_and_follows_new_ones(self, bus: LocalBus, clock: ManualClock) -> None:
        seen: list[int] = []

        def apply(event: Event) -> None:
            assert isinstance(event, SessionRevoked)
            seen.append(event.user_id)

        async def count() -> int:
            return len(seen)

        def event(number: int) -> Record:
            revoked = SessionRevoked(session_hash="a", user_id=number, revoked_at=clock.now())
            return _delivered(revoked, clock, 0).record

        await bus.publish([event(1), event(2)])
        projection = Projection(name="p", topics=(SESSIONS,), apply=apply, bus=bus)
        async with running("test", [Loop("projection", projection.run)]):
            await projection.ready.wait()
            assert seen == [1, 2]
            await bus.publish([event(3)])
            await eventually(count, until=lambda n: n == 3)
