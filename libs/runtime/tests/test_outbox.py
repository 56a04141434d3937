import asyncio
import random
from collections.abc import Sequence

import pytest
import sqlalchemy as sa

from mlplace_contracts.events import SessionRevoked, decode
from mlplace_contracts.topics import SESSIONS
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Delivered, Record
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import outbox
from mlplace_runtime.db.outbox import Outbox, OutboxRelay
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.waiting import eventually


def _event(key: str, number: int, clock: ManualClock) -> SessionRevoked:
    return SessionRevoked(session_hash=key, user_id=number, revoked_at=clock.now())


async def _read_all(bus: LocalBus, wanted: int) -> list[Delivered]:
    subscription = await bus.subscribe([SESSIONS], group=None)
    found: list[Delivered] = []

    async def poll() -> int:
        found.extend(await subscription.poll(max_records=1000, timeout_seconds=0.2))
        return len(found)

    await eventually(poll, until=lambda count: count >= wanted, seconds=20)
    return found


async def _waiting(database: Database) -> int:
    async with database.transaction() as session:
        return (await session.execute(sa.select(sa.func.count()).select_from(outbox))).scalar_one()


class TestAdd:
    async def test_a_rolled_back_transaction_publishes_nothing(self, database: Database, clock: ManualClock) -> None:
        async def fail_after_adding() -> None:
            async with database.transaction() as session:
                await Outbox(session, clock).add(_event("a", 1, clock))
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            await fail_after_adding()
        assert await _waiting(database) == 0

    async def test_a_commit_wakes_the_relay(self, database: Database, clock: ManualClock) -> None:
        assert not database.outbox_written.is_set()
        async with database.transaction() as session:
            await Outbox(session, clock).add(_event("a", 1, clock))
            assert not database.outbox_written.is_set()
        assert database.outbox_written.is_set()


class TestRelay:
    async def test_ships_and_deletes(self, database: Database, bus: LocalBus, clock: ManualClock) -> None:
        async with database.transaction() as session:
            await Outbox(session, clock).add(_event("a", 1, clock), _event("b", 2, clock))
        async with running("test", [Loop("relay", OutboxRelay(database, bus, name="test").run)]):
            found = await _read_all(bus, 2)
            await eventually(lambda: _waiting(database), until=lambda count: count == 0)
        events = [decode(delivered.record.value)[1] for delivered in found]
        assert [event.user_id for event in events if isinstance(event, SessionRevoked)] == [1, 2]

    async def test_many_writers_with_random_commit_delays_lose_and_reorder_nothing(
        self, database: Database, bus: LocalBus, clock: ManualClock
    ) -> None:
        chance = random.Random(7)
        written: dict[str, list[int]] = {}

        async def writer(key: str) -> None:
            for number in range(10):
                async with database.transaction() as session:
                    await Outbox(session, clock).add(_event(key, number, clock))
                    await asyncio.sleep(chance.random() / 100)
                written.setdefault(key, []).append(number)

        async with running("test", [Loop("relay", OutboxRelay(database, bus, name="test").run)]):
            await asyncio.gather(*(writer(f"k{n}") for n in range(8)))
            found = await _read_all(bus, 80)
        shipped: dict[str, list[int]] = {}
        for delivered in found:
            event = decode(delivered.record.value)[1]
            assert isinstance(event, SessionRevoked)
            shipped.setdefault(event.session_hash, []).append(event.user_id)
        assert shipped == written

    async def test_keeps_what_the_bus_refused(self, database: Database, clock: ManualClock) -> None:
        class Refusing(LocalBus):
            def __init__(self) -> None:
                self.asked = asyncio.Event()

            async def publish(self, records: Sequence[Record]) -> None:
                self.asked.set()
                raise ConnectionError("the broker is away")

        refusing = Refusing()
        async with database.transaction() as session:
            await Outbox(session, clock).add(_event("a", 1, clock))
        async with running("test", [Loop("relay", OutboxRelay(database, refusing, name="test").run)]):
            async with asyncio.timeout(5):
                await refusing.asked.wait()
        assert await _waiting(database) == 1

    async def test_only_one_relay_ships_at_a_time(self, database: Database, bus: LocalBus, clock: ManualClock) -> None:
        relays = [Loop(f"relay{n}", OutboxRelay(database, bus, name="test").run) for n in range(3)]
        async with running("test", relays):
            for number in range(20):
                async with database.transaction() as session:
                    await Outbox(session, clock).add(_event("a", number, clock))
            found = await _read_all(bus, 20)
        numbers = [e.user_id for d in found if isinstance(e := decode(d.record.value)[1], SessionRevoked)]
        assert numbers == list(range(20))
