import asyncio
import uuid
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.base import ServiceBase, new_metadata
from mlplace_runtime.db.claims import DueRows
from mlplace_runtime.db.database import Database

LEASE = timedelta(seconds=30)
LONG_AGO = datetime(2020, 1, 1, tzinfo=UTC)
"""For rows that are due by the clock of the database, which is that of the machine."""


class _Base(ServiceBase):
    __abstract__ = True
    metadata = new_metadata()


class Leased(_Base):
    """A claim has columns of its own."""

    __tablename__ = "leased_work"

    id: Mapped[int] = mapped_column(primary_key=True)
    state: Mapped[str]
    due_at: Mapped[datetime]
    leased_until: Mapped[datetime | None]
    token: Mapped[uuid.UUID | None]
    attempts: Mapped[int]
    result: Mapped[str | None]


class Postponed(_Base):
    """A claim moves the time at which the row is due again."""

    __tablename__ = "postponed_work"

    id: Mapped[int] = mapped_column(primary_key=True)
    due_at: Mapped[datetime | None]
    result: Mapped[str | None]


LEASED = DueRows(
    Leased,
    key=Leased.id,
    due=Leased.due_at,
    waiting=Leased.state == "WAITING",
    ends=Leased.leased_until,
    token=Leased.token,
    attempts=Leased.attempts,
)
POSTPONED = DueRows(Postponed, key=Postponed.id, due=Postponed.due_at, waiting=Postponed.due_at.is_not(None))


class Leasing:
    """One process that claims rows of `leased_work`."""

    def __init__(self, database: Database, clock: ManualClock) -> None:
        self._database = database
        self._clock = clock
        self.token = uuid.uuid4()

    async def add(self, *due_in: int) -> None:
        async with self._database.transaction() as session:
            session.add_all(
                Leased(id=number, state="WAITING", due_at=self._clock.now() + timedelta(seconds=seconds), attempts=0)
                for number, seconds in enumerate(due_in, start=1)
            )

    async def claim(self, *which: sa.ColumnElement[bool], limit: int | None = None) -> list[int]:
        async with self._database.transaction() as session:
            rows = await LEASED.claim(
                session, *which, now=self._clock.now(), lease=LEASE, token=self.token, limit=limit
            )
            return sorted(row.id for row in rows)

    async def apply(self, number: int, result: str) -> bool:
        async with self._database.transaction() as session:
            values = {"result": result, "state": "DONE"}
            return bool(await LEASED.apply(session, self.token, Leased.id == number, values=values))

    async def renew(self, numbers: Collection[int]) -> list[int]:
        ends = self._clock.now() + LEASE
        async with self._database.transaction() as session:
            renewal = LEASED.renewal(self.token, Leased.id.in_(numbers), ends=ends).returning(Leased.id)
            return sorted((await session.execute(renewal)).scalars())

    async def lapsed(self) -> list[int]:
        async with self._database.transaction() as session:
            found = sa.select(Leased.id).where(LEASED.lapsed(self._clock.now())).order_by(Leased.id)
            return list((await session.execute(found)).scalars())

    async def row(self, number: int) -> Leased:
        async with self._database.transaction() as session:
            return (await session.scalars(sa.select(Leased).where(Leased.id == number))).one()


@pytest.fixture
def one(database: Database, clock: ManualClock) -> Leasing:
    return Leasing(database, clock)


@pytest.fixture
def other(database: Database, clock: ManualClock) -> Leasing:
    return Leasing(database, clock)


class TestClaim:
    async def test_takes_due_rows_the_longest_due_first(self, one: Leasing) -> None:
        await one.add(-1, -3, -2, 5)
        assert await one.claim(limit=2) == [2, 3]
        assert await one.claim() == [1]

    async def test_writes_token_end_and_attempt(self, one: Leasing, clock: ManualClock) -> None:
        await one.add(0)
        await one.claim()
        row = await one.row(1)
        assert (row.token, row.leased_until, row.attempts) == (one.token, clock.now() + LEASE, 1)

    async def test_takes_only_rows_that_are_wanted_and_wait(self, one: Leasing) -> None:
        await one.add(0, 0, 0)
        await one.claim(Leased.id == 1)
        assert await one.apply(1, "done")
        assert await one.claim(Leased.id != 3) == [2]

    async def test_never_takes_more_than_the_limit(self, database: Database) -> None:
        await Leasing(database, ManualClock(LONG_AGO)).add(*range(-500, 0))
        async with database.transaction() as session:  # the plans that would run a plain subquery again and again
            for plan in ("hashjoin", "mergejoin", "material", "hashagg", "sort"):
                await session.execute(sa.text(f"SET LOCAL enable_{plan} = off"))
            claimed = await LEASED.claim(session, now=sa.func.now(), lease=LEASE, limit=3)
            assert sorted(row.id for row in claimed) == [1, 2, 3]

    async def test_two_processes_that_claim_at_the_same_time_share_the_rows(
        self, one: Leasing, database: Database, clock: ManualClock
    ) -> None:
        await one.add(*[0] * 200)
        processes = [Leasing(database, clock) for _ in range(4)]

        async def claim_all(process: Leasing) -> list[int]:
            found: list[int] = []
            while claimed := await process.claim(limit=7):
                found += claimed
            return found

        shares = await asyncio.gather(*(claim_all(process) for process in processes))
        assert sorted(number for share in shares for number in share) == list(range(1, 201))

    async def test_waits_for_no_row_that_another_transaction_has_locked(
        self, one: Leasing, other: Leasing, database: Database, clock: ManualClock
    ) -> None:
        await one.add(-2, -1)
        async with database.transaction() as session:
            first = LEASED.claim_statement(now=clock.now(), lease=LEASE, token=one.token, limit=1).returning(Leased.id)
            assert (await session.execute(first)).scalars().all() == [1]
            async with asyncio.timeout(60):
                assert await other.claim() == [2]
        assert await other.claim() == []


class TestLapsedClaim:
    async def test_is_taken_over_by_another_process(self, one: Leasing, other: Leasing, clock: ManualClock) -> None:
        await one.add(0)
        assert await one.claim() == [1]
        clock.advance(LEASE)
        assert (await other.claim(), await other.lapsed()) == ([], [])
        clock.advance(timedelta(microseconds=1))
        assert (await other.lapsed(), await other.claim()) == ([1], [1])
        row = await one.row(1)
        assert (row.token, row.attempts) == (other.token, 2)

    async def test_of_one_process_is_taken_over_by_one_other(
        self, one: Leasing, database: Database, clock: ManualClock
    ) -> None:
        await one.add(0)
        await one.claim()
        clock.advance(LEASE * 2)
        claims = await asyncio.gather(*(Leasing(database, clock).claim() for _ in range(6)))
        assert sorted(claims) == [[]] * 5 + [[1]]

    async def test_still_holds_while_nobody_takes_it_over(self, one: Leasing, clock: ManualClock) -> None:
        await one.add(0)
        await one.claim()
        clock.advance(LEASE * 2)
        assert await one.apply(1, "late")
        assert (await one.row(1)).result == "late"


class TestRenew:
    async def test_moves_the_end(self, one: Leasing, other: Leasing, clock: ManualClock) -> None:
        await one.add(0)
        await one.claim()
        clock.advance(LEASE / 2)
        assert await one.renew([1]) == [1]
        clock.advance(LEASE)
        assert await other.claim() == []
        clock.advance(timedelta(microseconds=1))
        assert await other.claim() == [1]

    async def test_leaves_rows_alone_that_another_process_holds(
        self, one: Leasing, other: Leasing, clock: ManualClock
    ) -> None:
        await one.add(0, 0)
        await one.claim()
        clock.advance(LEASE * 2)
        await other.claim(Leased.id == 1)
        assert await one.renew([1, 2]) == [2]


class TestApply:
    async def test_of_a_lost_claim_changes_nothing(self, one: Leasing, other: Leasing, clock: ManualClock) -> None:
        await one.add(0)
        await one.claim()
        clock.advance(LEASE * 2)
        await other.claim()
        assert not await one.apply(1, "too late")
        row = await one.row(1)
        assert (row.result, row.state, row.token) == (None, "WAITING", other.token)
        assert await other.apply(1, "in time")

    async def test_happens_once(self, one: Leasing) -> None:
        await one.add(0)
        await one.claim()
        assert [await one.apply(1, "first"), await one.apply(1, "second")] == [True, False]
        assert (await one.row(1)).result == "first"

    async def test_without_a_claim_changes_nothing(self, one: Leasing) -> None:
        await one.add(0)
        assert not await one.apply(1, "never claimed")


class TestClaimThatMovesTheDueTime:
    """The end of the claim is its proof."""

    @staticmethod
    async def _add(database: Database, clock: ManualClock) -> None:
        async with database.transaction() as session:
            session.add(Postponed(id=1, due_at=clock.now()))

    @staticmethod
    async def _claim(database: Database, clock: ManualClock) -> Postponed | None:
        async with database.transaction() as session:
            claimed = await POSTPONED.claim(session, now=clock.now(), lease=LEASE, limit=1)
            return claimed[0] if claimed else None

    @staticmethod
    async def _settle(database: Database, claimed: Postponed, *, due_at: datetime | None) -> bool:
        async with database.transaction() as session:
            values = {"due_at": due_at, "result": "settled"}
            return bool(await POSTPONED.apply(session, claimed.due_at, Postponed.id == 1, values=values))

    async def test_is_over_when_its_end_has_come(self, database: Database, clock: ManualClock) -> None:
        await self._add(database, clock)
        claimed = await self._claim(database, clock)
        assert claimed is not None
        assert claimed.due_at == clock.now() + LEASE
        assert await self._claim(database, clock) is None
        clock.advance(LEASE)
        assert await self._claim(database, clock) is not None

    async def test_that_is_lost_changes_nothing(self, database: Database, clock: ManualClock) -> None:
        await self._add(database, clock)
        lost = await self._claim(database, clock)
        clock.advance(LEASE)
        holder = await self._claim(database, clock)
        assert lost is not None
        assert holder is not None
        assert not await self._settle(database, lost, due_at=None)
        later = clock.now() + timedelta(hours=1)
        assert await self._settle(database, holder, due_at=later)
        assert not await self._settle(database, holder, due_at=None)
        clock.advance(timedelta(hours=1))
        assert await self._claim(database, clock) is not None

    async def test_of_a_row_that_is_over_proves_nothing(self, database: Database, clock: ManualClock) -> None:
        await self._add(database, clock)
        claimed = await self._claim(database, clock)
        assert claimed is not None
        assert await self._settle(database, claimed, due_at=None)
        over = Postponed(id=1, due_at=None)
        assert not await self._settle(database, over, due_at=clock.now())

    async def test_by_the_clock_of_the_database(self, database: Database) -> None:
        await self._add(database, ManualClock(LONG_AGO))
        async with database.transaction() as session:
            (claimed,) = await POSTPONED.claim(session, now=sa.func.now(), lease=LEASE)
            assert claimed.due_at == await session.scalar(sa.select(sa.func.now() + LEASE))
