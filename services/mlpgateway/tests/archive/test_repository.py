"""Which archive rows are marked for deletion, with several gates at once."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Collection
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from mlpgateway.features.archive.repository import ArchiveRepository
from mlpgateway.features.archive.tables import ArchivedRequest
from mlpgateway.main import MIGRATIONS
from mlplace_runtime.db.database import Database
from mlplace_testing.compiled import opened_database

MODEL = 1


class Archive:
    def __init__(self, database: Database) -> None:
        self.database = database

    async def announce(self, number: int, *, ago: timedelta = timedelta()) -> list[uuid.UUID]:
        ids = [uuid.uuid4() for _ in range(number)]
        now = datetime.now(UTC)
        rest = {
            "account_id": 1, "model_id": MODEL, "at": now, "request_id": "r", "caller_account_id": 2,
            "operation": "predict", "status": 200, "request_bytes": 0, "answer_bytes": 0, "stored_bytes": 0,
            "duration_ms": 0, "cached": False, "created_at": now - ago,
        }  # fmt: skip
        async with self.database.transaction() as session:
            await ArchiveRepository(session).announce([{"id": each, **rest} for each in ids])
        return ids

    async def stored(self, ids: Collection[uuid.UUID]) -> None:
        async with self.database.transaction() as session:
            await ArchiveRepository(session).stored(ids)

    async def marked(self) -> set[uuid.UUID]:
        statement = sa.select(ArchivedRequest.id).where(ArchivedRequest.to_delete)
        async with self.database.transaction() as session:
            return set((await session.execute(statement)).scalars())


@pytest.fixture
async def archive(database_factory) -> AsyncGenerator[Archive]:
    urls = await database_factory("mlpgateway", MIGRATIONS)
    database = opened_database(urls.service_url)
    yield Archive(database)
    await database.close()


class TestKeepLast:
    async def test_all_but_the_newest_are_marked(self, archive: Archive) -> None:
        ids = await archive.announce(5)
        async with archive.database.transaction() as session:
            await ArchiveRepository(session).keep_last(MODEL, 2)
        assert await archive.marked() == set(ids[:3])

    async def test_two_gates_that_have_just_stored_do_not_deadlock(self, archive: Archive) -> None:
        mine, theirs = [await archive.announce(1) for _ in range(2)]
        async with archive.database.transaction() as one, archive.database.transaction() as other:
            repositories = ArchiveRepository(one), ArchiveRepository(other)
            for repository, ids in zip(repositories, (mine, theirs), strict=True):
                await repository.stored(ids)
            await asyncio.gather(*(repository.keep_last(MODEL, 0) for repository in repositories))
        assert await archive.marked() == {*mine, *theirs}


class TestMarkAbandoned:
    async def test_old_unstored_record_is_marked(self, archive: Archive) -> None:
        abandoned = await archive.announce(2, ago=timedelta(minutes=11))
        await archive.stored(await archive.announce(1, ago=timedelta(minutes=11)))
        await archive.announce(1, ago=timedelta(minutes=9))
        async with archive.database.transaction() as session:
            await ArchiveRepository(session).mark_abandoned()
        assert await archive.marked() == set(abandoned)

    async def test_record_locked_by_another_gate_is_skipped(self, archive: Archive) -> None:
        late, abandoned = [await archive.announce(1, ago=timedelta(minutes=11)) for _ in range(2)]
        async with archive.database.transaction() as one, archive.database.transaction() as other:
            await ArchiveRepository(one).stored(late)
            await ArchiveRepository(other).mark_abandoned()
        assert await archive.marked() == set(abandoned)
