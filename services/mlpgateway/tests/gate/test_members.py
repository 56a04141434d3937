"""The set of gates: one suite for the directory in PostgreSQL and for its twin."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa

import mlpgateway
from mlpgateway.call.ports import GateDirectory, GateMembers
from mlpgateway.membership.in_memory import GatesInMemory
from mlpgateway.membership.members import MembershipPace, PostgresGates
from mlpgateway.membership.tables import GateMember
from mlplace_contracts.events import GateMembersChanged
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.events import published
from mlplace_testing.plugin import DatabaseFactory
from mlplace_testing.waiting import eventually

MIGRATIONS = Path(mlpgateway.__file__).parent / "migrations"
_CONNECTED = sa.text("SELECT pid FROM pg_stat_activity")
# For gates that read the table on their own connections: connections of the pool have just ended a transaction.
_LOOKING = sa.text(
    "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND usename = current_user"
    " AND state = 'idle' AND query LIKE '%gate_member%'"
)
_END_OTHERS = sa.text(
    "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity"
    " WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()"
)
PACE = MembershipPace(beat=0.02, expiry=50.0, poll=0.02)
"""Heartbeats and looks are frequent; no gate expires because this process was slow.

A test that needs a dead gate sets its heartbeat back, by less than the minute after which its row is deleted.
"""
DEAD, OLD = 55, 10

MakeGates = Callable[[], GateDirectory]


@pytest.fixture
async def service_database(database_factory: DatabaseFactory) -> ServiceDatabase:
    return await database_factory("mlpgateway", MIGRATIONS)


@pytest.fixture
async def database(service_database: ServiceDatabase) -> AsyncGenerator[Database]:
    opened = Database(service_database.service_url, application_name="test", pool_size=4)
    yield opened
    await opened.close()


class GateDirectoryContract:
    """`make` opens the view of one more gate process on the same set."""

    @pytest.fixture
    def make(self) -> MakeGates:
        raise NotImplementedError

    async def _sees(self, gates: GateDirectory, *active: str, retiring: tuple[str, ...] = ()) -> None:
        await eventually(gates.members, until=lambda members: members == GateMembers(active, retiring))

    async def test_set_is_empty_at_first(self, make: MakeGates) -> None:
        assert (await make().members()).connectable == ()

    async def test_joining_gate_sees_itself_at_once(self, make: MakeGates) -> None:
        gates = make()
        await gates.join("a:1")
        assert await gates.members() == GateMembers(("a:1",))

    async def test_others_see_joining_retiring_and_leaving_gates(self, make: MakeGates) -> None:
        first, second = make(), make()
        await first.join("a:1")
        await second.join("b:1")
        await self._sees(first, "a:1", "b:1")
        await second.retire("b:1")
        await self._sees(first, "a:1", retiring=("b:1",))
        assert (await first.members()).connectable == ("a:1", "b:1")
        await second.leave("b:1")
        await self._sees(first, "a:1")

    async def test_watchers_get_each_change_once(self, make: MakeGates) -> None:
        first, second = make(), make()
        heard: list[GateMembers] = []
        unwatch = first.watch(heard.append)
        await first.join("a:1")
        await second.join("b:1")
        await self._sees(first, "a:1", "b:1")
        assert heard == [GateMembers(("a:1",)), GateMembers(("a:1", "b:1"))]
        unwatch()
        await second.leave("b:1")
        await self._sees(first, "a:1")
        assert len(heard) == 2

    async def test_joining_twice_changes_nothing(self, make: MakeGates) -> None:
        gates = make()
        heard: list[GateMembers] = []
        gates.watch(heard.append)
        await gates.join("a:1")
        await gates.join("a:1")
        assert heard == [GateMembers(("a:1",))]

    async def test_leaving_without_joining_changes_nothing(self, make: MakeGates) -> None:
        first, second = make(), make()
        await first.join("a:1")
        await second.leave("b:1")
        await second.retire("b:1")
        assert await first.members() == GateMembers(("a:1",))


class TestGatesInMemory(GateDirectoryContract):
    @pytest.fixture
    def make(self) -> MakeGates:
        gates = GatesInMemory()
        return lambda: gates


class TestPostgresGates(GateDirectoryContract):
    @pytest.fixture
    async def make(self, database: Database, clock: ManualClock) -> AsyncGenerator[MakeGates]:
        tasks: list[asyncio.Task[None]] = []

        def one() -> PostgresGates:
            gates = PostgresGates(database, clock, PACE)
            tasks.append(asyncio.create_task(gates.run()))
            return gates

        yield one
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def test_dead_gate_is_removed_after_a_while(self, make: MakeGates, database: Database) -> None:
        gates, dead = make(), PostgresGates(database, ManualClock(), PACE)
        await gates.join("b:1")
        await dead.join("a:1")
        await self._sees(gates, "a:1", "b:1")
        await _set_back(database, DEAD, "a:1")
        await self._sees(gates, "b:1")
        events = await published(database, GateMembersChanged)
        assert events[-1].members == ("b:1",)

    async def test_live_gate_is_not_removed(self, make: MakeGates, database: Database) -> None:
        """Each renews its heartbeat long before it counts as dead, again and again."""
        first, second = make(), make()
        await first.join("a:1")
        await second.join("b:1")
        await self._sees(first, "a:1", "b:1")
        heard: list[GateMembers] = []
        first.watch(heard.append)
        for _ in range(3):
            await _set_back(database, OLD, "a:1", "b:1")
            await eventually(lambda: _heard_of(database, OLD), until=lambda gates: gates == {"a:1", "b:1"})
        assert heard == []

    async def test_each_change_is_published_once(self, make: MakeGates, database: Database) -> None:
        first, second = make(), make()
        await first.join("a:1")
        await second.join("b:1")
        await self._sees(first, "a:1", "b:1")
        await second.retire("b:1")
        await self._sees(first, "a:1", retiring=("b:1",))
        await second.leave("b:1")
        await self._sees(first, "a:1")
        await first.leave("a:1")
        events = await published(database, GateMembersChanged)
        assert [event.members for event in events] == [("a:1",), ("a:1", "b:1"), ("a:1",), ()]

    async def test_new_process_takes_over_its_address(self, make: MakeGates, database: Database) -> None:
        old, new = make(), make()
        await old.join("a:1")
        await new.join("a:1")
        await old.leave("a:1")
        async with database.transaction() as session:
            assert (await session.execute(sa.select(GateMember.address))).scalars().all() == ["a:1"]
        assert await new.members() == GateMembers(("a:1",))

    async def test_membership_survives_ended_database_connections(self, make: MakeGates, database: Database) -> None:
        first, second = make(), make()
        await first.join("a:1")
        await second.join("b:1")
        await self._sees(first, "a:1", "b:1")

        async def looking() -> set[int]:
            async with database.transaction() as session:
                return set((await session.execute(_LOOKING)).scalars())

        both = await eventually(looking, until=lambda pids: len(pids) == 2)
        async with database.transaction() as session:
            ended = set((await session.execute(_END_OTHERS)).scalars())
        assert len(ended) >= 2
        assert both <= ended

        async def left() -> set[int]:
            async with database.transaction() as session:
                return ended & set((await session.execute(_CONNECTED)).scalars())

        await eventually(left, until=lambda pids: not pids)
        await second.retire("b:1")
        await self._sees(first, "a:1", retiring=("b:1",))

    @pytest.mark.own_database
    @pytest.mark.parametrize(("comes_back", "then"), [(True, ("a:1", "b:1")), (False, ("a:1",))])
    async def test_other_gates_get_time_for_a_heartbeat_after_an_outage(
        self, service_database: ServiceDatabase, clock: ManualClock, *, comes_back: bool, then: tuple[str, ...]
    ) -> None:
        owner = Database(service_database.owner_url, application_name="test", pool_size=1)
        database = Database(service_database.service_url, application_name="test", pool_size=4)
        now = 1000.0
        pace = replace(PACE, beat=1.0)
        first = PostgresGates(database, clock, pace, seconds=lambda: now)
        second = PostgresGates(database, clock, PACE)
        await first.join("a:1")
        await second.join("b:1")
        await first.refresh()
        heard: list[GateMembers] = []
        first.watch(heard.append)
        async with running("test", [Loop("first", first.run)]):
            await _rename(owner, "gate_member", "away")
            await eventually(_async(lambda: first._doubt_until == float("inf")))
            await _set_back(owner, DEAD, "a:1", "b:1", table="away")  # to the database, both are dead now
            assert heard == []
            await _rename(owner, "away", "gate_member")
            await eventually(_async(lambda: first._doubt_until == now + 2 * pace.beat))
            assert heard == []
            async with running("test", [Loop("second", second.run)] if comes_back else []):
                if comes_back:
                    await eventually(lambda: _heard_of(database, DEAD), until=lambda gates: "b:1" in gates)
                now += 2 * pace.beat
                await eventually(_async(lambda: first._doubt_until is None))
            await eventually(first.members, until=lambda seen: seen.active == then)
        assert heard == ([] if comes_back else [GateMembers(then)])
        await owner.close()
        await database.close()


async def _set_back(database: Database, seconds: int, *gates: str, table: str = "gate_member") -> None:
    """Makes the last heartbeats of these gates this old."""
    statement = sa.text(
        f"UPDATE {table} SET heartbeat_at = now() - make_interval(secs => :seconds) WHERE address = ANY(:gates)"
    )
    async with database.transaction() as session:
        await session.execute(statement, {"seconds": seconds, "gates": list(gates)})


async def _heard_of(database: Database, seconds: int) -> set[str]:
    """Returns the gates whose last heartbeat is less than this old."""
    statement = sa.select(GateMember.address).where(
        GateMember.heartbeat_at > sa.func.now() - timedelta(seconds=seconds)
    )
    async with database.transaction() as session:
        return set((await session.execute(statement)).scalars())


async def _rename(owner: Database, old: str, new: str) -> None:
    async with owner.transaction() as session:
        await session.execute(sa.text(f"ALTER TABLE {old} RENAME TO {new}"))


def _async(probe: Callable[[], bool]) -> Callable[[], Awaitable[bool]]:
    async def ask() -> bool:
        return probe()

    return ask
