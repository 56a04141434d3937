"""Tests that trouble with one key delays no other: refused events, locks and slow handlers."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.events import Event, SessionRevoked, decode
from mlplace_contracts.topics import SESSIONS
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import DomainError
from mlplace_runtime.bus.consumer import Consumer, ConsumerRunner
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Record
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import dead_letter, outbox
from mlplace_runtime.db.outbox import Outbox, outbox_row
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.waiting import eventually

_BAD = "bad"
_Trouble = Callable[[AsyncSession], Awaitable[None]]


class _Refused(DomainError):
    code = "test.refused"
    status = 409
    message = "never"


async def _refuse(_: AsyncSession) -> None:
    raise _Refused


class _Handler:
    """Its effect is an outbox row. Events of the key `bad` fail as configured."""

    def __init__(self, clock: ManualClock, trouble: _Trouble | None = None) -> None:
        self._clock = clock
        self.trouble = trouble
        self.attempts: Counter[int] = Counter()

    async def handle(self, session: AsyncSession, events: Sequence[Event]) -> None:
        for event in events:
            assert isinstance(event, SessionRevoked)
            if event.key == _BAD:
                self.attempts[event.user_id] += 1
                if self.trouble:
                    await self.trouble(session)
            await Outbox(session, self._clock).add(event)

    def loop(self, database: Database, bus: LocalBus) -> Loop:
        consumer = Consumer("lanes", (SESSIONS,), (SessionRevoked,), self.handle)
        return Loop("lanes", ConsumerRunner(consumer, database, bus).run)


async def _publish(bus: LocalBus, clock: ManualClock, *events: tuple[str, int]) -> None:
    rows = [outbox_row(SessionRevoked(session_hash=k, user_id=n, revoked_at=clock.now()), clock) for k, n in events]
    await bus.publish([Record(SESSIONS.name, str(row["key"]), bytes(row["value"])) for row in rows])  # type: ignore[arg-type]  # bytes


async def _effects(database: Database) -> dict[str, int]:
    async with database.transaction() as session:
        rows = await session.execute(sa.select(outbox.c.key, sa.func.count().label("number")).group_by(outbox.c.key))
        return {row.key: row.number for row in rows}


async def _parked(database: Database) -> list[str]:
    async with database.transaction() as session:
        return list((await session.execute(sa.select(dead_letter.c.key))).scalars())


def _mixed(number: int) -> list[tuple[str, int]]:
    return [(key, n) for n in range(number) for key in (_BAD, f"good-{n % 7}")]


def _good(effects: dict[str, int]) -> int:
    return sum(number for key, number in effects.items() if key != _BAD)


class TestRefusedEvents:
    async def test_are_parked_without_a_retry_and_the_others_are_handled(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        handler = _Handler(clock, _refuse)
        await _publish(bus, clock, *_mixed(50))
        async with running("test", [handler.loop(database, bus)]):
            await eventually(lambda: _parked(database), until=lambda keys: len(keys) == 50)
            await eventually(lambda: _effects(database), until=lambda found: _good(found) == 50)
        assert set(await _parked(database)) == {_BAD}
        # Each event once alone; the first also in the batch and in its lane, where it ended the transaction.
        assert sum(handler.attempts.values()) <= 50 + 2

    async def test_a_lane_with_a_refused_event_does_not_fail_later_batches(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        handler = _Handler(clock, _refuse)
        async with running("test", [handler.loop(database, bus)]):
            await _publish(bus, clock, (_BAD, 0))
            await eventually(lambda: _parked(database), until=lambda keys: len(keys) == 1)
            before = handler.attempts.total()
            await _publish(bus, clock, *_mixed(20))
            await eventually(lambda: _parked(database), until=lambda keys: len(keys) == 21)
            await eventually(lambda: _effects(database), until=lambda found: _good(found) == 20)
        assert handler.attempts.total() == before + 20

    async def test_a_record_that_is_not_an_event_is_parked_alone(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        handler = _Handler(clock)
        await bus.publish([Record(SESSIONS.name, "good-0", b"\xff")])
        await _publish(bus, clock, ("good-0", 1), ("good-1", 1))
        async with running("test", [handler.loop(database, bus)]):
            await eventually(lambda: _effects(database), until=lambda found: _good(found) == 2)
            await eventually(lambda: _parked(database), until=lambda keys: keys == ["good-0"])

    async def test_a_redelivered_event_is_parked_once(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        handler = _Handler(clock, _refuse)
        await _publish(bus, clock, (_BAD, 1))
        found = await (await bus.subscribe([SESSIONS], group=None)).poll(max_records=1, timeout_seconds=5)
        consumer = Consumer("lanes", (SESSIONS,), (SessionRevoked,), handler.handle)
        for _ in range(2):
            await ConsumerRunner(consumer, database, bus).handle(found)
        assert await _parked(database) == [_BAD]


class TestTroubleOfTheDatabase:
    async def test_a_lock_on_one_key_delays_no_other_and_nothing_is_parked(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        async def locked(session: AsyncSession) -> None:
            await session.execute(sa.text("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '55P03'; END $$"))

        handler = _Handler(clock, locked)
        async with running("test", [handler.loop(database, bus)]):
            for round_ in range(3):
                await _publish(bus, clock, *_mixed(10))
                await eventually(lambda: _effects(database), until=lambda found, n=round_: _good(found) == 10 * (n + 1))
            assert _BAD not in await _effects(database)
            await eventually(_attempts_of(handler), until=lambda number: number > 6)
            handler.trouble = None
            await eventually(lambda: _effects(database), until=lambda found: found.get(_BAD) == 30)
        assert await _parked(database) == []
        assert await _order(database, _BAD) == [*range(10)] * 3

    async def test_a_conflict_is_retried_and_parked_if_it_persists(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        async def conflict(session: AsyncSession) -> None:
            await session.execute(sa.text("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '23505'; END $$"))

        handler = _Handler(clock, conflict)
        await _publish(bus, clock, (_BAD, 1), ("good-0", 1))
        async with running("test", [handler.loop(database, bus)]):
            await eventually(lambda: _effects(database), until=lambda found: _good(found) == 1)
            await eventually(lambda: _parked(database), until=lambda keys: keys == [_BAD])
        assert handler.attempts[1] == 1 + 5


class TestSlowHandler:
    async def test_other_keys_continue_while_one_is_handled(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        entered, released = asyncio.Event(), asyncio.Event()

        async def slow(_: AsyncSession) -> None:
            entered.set()
            await released.wait()

        handler = _Handler(clock, slow)
        async with running("test", [handler.loop(database, bus)]):
            await _publish(bus, clock, (_BAD, 1))
            await entered.wait()
            await _publish(bus, clock, *_mixed(10))
            await eventually(lambda: _effects(database), until=lambda found: _good(found) == 10)
            assert handler.attempts.total() == 1
            released.set()
            await eventually(lambda: _effects(database), until=lambda found: found.get(_BAD) == 11)

    async def test_a_restart_redelivers_only_unfinished_events(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        entered = asyncio.Event()

        async def for_ever(_: AsyncSession) -> None:
            entered.set()
            await asyncio.Event().wait()

        handler = _Handler(clock, for_ever)
        async with running("test", [handler.loop(database, bus)]):
            await _publish(bus, clock, (_BAD, 1))
            await entered.wait()
            await _publish(bus, clock, *_mixed(10))
            await eventually(lambda: _effects(database), until=lambda found: _good(found) == 10)
        fresh = _Handler(clock)
        async with running("test", [fresh.loop(database, bus)]):
            await eventually(lambda: _effects(database), until=lambda found: found.get(_BAD) == 11)
        effects = await _effects(database)
        assert _good(effects) == 10
        assert await _order(database, _BAD) == [1, *range(10)]


def _attempts_of(handler: _Handler) -> Callable[[], Awaitable[int]]:
    async def total() -> int:
        return handler.attempts.total()

    return total


async def _order(database: Database, key: str) -> list[int]:
    numbers: list[int] = []
    async with database.transaction() as session:
        rows = sa.select(outbox.c.value).where(outbox.c.key == key).order_by(outbox.c.id)
        for value in (await session.execute(rows)).scalars():
            event = decode(value)[1]
            assert isinstance(event, SessionRevoked)
            numbers.append(event.user_id)
    return numbers
