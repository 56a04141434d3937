import asyncio
import random
from collections.abc import Sequence
from pathlib import Path

import pytest
import sqlalchemy as sa
from prometheus_client import REGISTRY

from mlplace_contracts.events import SessionRevoked, decode
from mlplace_contracts.topics import SESSIONS
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.outbox_relay import OutboxRelay
from mlplace_runtime.bus.port import Delivered, Record, RecordsRefusedError
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.messaging import dead_letter, outbox
from mlplace_runtime.db.outbox import Outbox
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

    await eventually(poll, until=lambda count: count >= wanted)
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

    async def test_a_savepoint_does_not_wake_the_relay_before_the_commit(
        self, database: Database, clock: ManualClock
    ) -> None:
        async with database.transaction() as session:
            async with session.begin_nested():
                await Outbox(session, clock).add(_event("a", 1, clock))
            assert not database.outbox_written.is_set()
        assert database.outbox_written.is_set()


class TestRelay:
    async def test_ships_rows_and_deletes_them(self, database: Database, bus: LocalBus, clock: ManualClock) -> None:
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

    async def test_keeps_rows_when_the_bus_fails(self, database: Database, clock: ManualClock) -> None:
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
            async with asyncio.timeout(60):
                await refusing.asked.wait()
            assert REGISTRY.get_sample_value("mlp_outbox_waiting_rows", {"service": "test"}) == 1
        assert await _waiting(database) == 1

    async def test_ships_at_once_after_a_failure_even_when_nobody_else_writes(
        self, database: Database, tmp_path: Path, clock: ManualClock
    ) -> None:
        class Flaky(LocalBus):
            failures = 1

            async def publish(self, records: Sequence[Record]) -> None:
                if self.failures:
                    self.failures -= 1
                    raise ConnectionError("the broker is away")
                await super().publish(records)

        async with database.transaction() as session:
            await Outbox(session, clock).add(_event("a", 1, clock))
        async with (
            Flaky(tmp_path / "flaky.sqlite3", alone=True) as flaky,
        ):
            relay = OutboxRelay(database, flaky, name="test")
            relay._idle_seconds = 3600.0
            async with running("test", [Loop("relay", relay.run)]):
                await eventually(lambda: _waiting(database), until=lambda count: count == 0)

    async def test_only_one_relay_ships_at_a_time(self, database: Database, bus: LocalBus, clock: ManualClock) -> None:
        relays = [Loop(f"relay{n}", OutboxRelay(database, bus, name="test").run) for n in range(3)]
        async with running("test", relays):
            for number in range(20):
                async with database.transaction() as session:
                    await Outbox(session, clock).add(_event("a", number, clock))
            found = await _read_all(bus, 20)
        numbers = [e.user_id for d in found if isinstance(e := decode(d.record.value)[1], SessionRevoked)]
        assert numbers == list(range(20))

    async def test_parks_events_that_the_bus_refuses_and_ships_the_rest_in_order(
        self, database: Database, tmp_path: Path, clock: ManualClock
    ) -> None:
        class Narrow(LocalBus):
            async def publish(self, records: Sequence[Record]) -> None:
                refused = {place: "too large" for place, record in enumerate(records) if record.key == "large"}
                if refused:
                    raise RecordsRefusedError(refused)
                await super().publish(records)

        async with database.transaction() as session:
            await Outbox(session, clock).add(
                _event("a", 1, clock), _event("large", 2, clock), _event("a", 3, clock), _event("large", 4, clock)
            )
        async with Narrow(tmp_path / "narrow.sqlite3") as narrow:
            async with running("test", [Loop("relay", OutboxRelay(database, narrow, name="narrow").run)]):
                await eventually(lambda: _waiting(database), until=lambda count: count == 0)
            found = await _read_all(narrow, 2)
        numbers = [e.user_id for d in found if isinstance(e := decode(d.record.value)[1], SessionRevoked)]
        assert numbers == [1, 3]
        async with database.transaction() as session:
            columns = (dead_letter.c.consumer, dead_letter.c.key, dead_letter.c.reason)
            parked = [tuple(row) for row in await session.execute(sa.select(*columns))]
        assert parked == [("outbox", "large", "the bus refuses it: too large")] * 2
        assert REGISTRY.get_sample_value("mlp_events_parked_total", {"consumer": "narrow.outbox"}) == 2

    async def test_counts_waiting_dead_letters(self, database: Database, bus: LocalBus, clock: ManualClock) -> None:
        async with database.transaction() as session:
            for moment in (None, None, clock.now()):
                values = {"topic": "t", "key": "k", "value": b"", "reason": "r", "replayed_at": moment}
                await session.execute(sa.insert(dead_letter).values(consumer="c", **values))

        async def counted() -> float | None:
            return REGISTRY.get_sample_value("mlp_dead_letters", {"service": "counting"})

        async with running("test", [Loop("relay", OutboxRelay(database, bus, name="counting").run)]):
            assert await eventually(counted) == 2
        assert await counted() == 0
