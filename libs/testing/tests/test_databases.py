"""A shared database has forgotten what a test did to it when the next one gets it."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import asyncpg
import pytest

from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_testing.databases import DatabaseFactory, DatabasePool, made_databases

MIGRATIONS = Path(__file__).parent / "migrations"
SERVICE = "shelves"


class Shelves:
    """The database of one test, for its owner or for the service's role."""

    def __init__(self, url: str) -> None:
        self._url = url.replace("+asyncpg", "")

    async def __call__(self, statement: str) -> list[tuple[object, ...]]:
        connection = await asyncpg.connect(self._url)
        try:
            return [tuple(row) for row in await connection.fetch(statement)]
        finally:
            await connection.close()


@pytest.fixture
async def lent(database_pool: DatabasePool) -> AsyncGenerator[ServiceDatabase]:
    """What `returned` gives back in the test is lent again to it."""
    urls = await database_pool.lend(SERVICE, MIGRATIONS)
    yield urls
    await database_pool.take_back(SERVICE, urls)


async def _next(pool: DatabasePool, urls: ServiceDatabase) -> Shelves:
    """The same database, as the next test gets it."""
    await pool.take_back(SERVICE, urls)
    assert await pool.lend(SERVICE, MIGRATIONS) == urls
    return Shelves(urls.service_url)


class TestNextTest:
    async def test_sees_no_row_of_the_one_before(self, database_pool: DatabasePool, lent: ServiceDatabase) -> None:
        await Shelves(lent.service_url)("INSERT INTO book (shelf_id, title) VALUES (1, 'one'), (1, 'two')")
        query = await _next(database_pool, lent)
        assert await query("SELECT * FROM book") == []

    async def test_sees_rows_that_only_the_owner_could_write(
        self, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        """The table refuses to forget, but for the pool."""
        await Shelves(lent.service_url)("INSERT INTO loan (title) VALUES ('one')")
        with pytest.raises(asyncpg.RaiseError, match="append only"):
            await Shelves(lent.owner_url)("DELETE FROM loan")
        query = await _next(database_pool, lent)
        assert await query("SELECT * FROM loan") == []

    @pytest.mark.parametrize(
        "change",
        ["DELETE FROM shelf", "UPDATE shelf SET name = 'changed'", "INSERT INTO shelf (name) VALUES ('more')"],
    )
    async def test_sees_what_the_migrations_wrote(
        self, change: str, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        before = await Shelves(lent.service_url)("SELECT * FROM shelf ORDER BY id")
        assert [row[:2] for row in before] == [(1, "first"), (2, "second")]
        await Shelves(lent.owner_url)(change)
        query = await _next(database_pool, lent)
        assert await query("SELECT * FROM shelf ORDER BY id") == before

    async def test_counts_from_where_the_migrations_left_off(
        self, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        book, shelf = "INSERT INTO book (shelf_id, title) VALUES (1, 'x') RETURNING id", "INSERT INTO shelf (name) VALUES ('x') RETURNING id"  # fmt: skip
        query = Shelves(lent.service_url)
        first = [await query(book), await query(book), await query(shelf)]
        query = await _next(database_pool, lent)
        assert [await query(book), await query(book), await query(shelf)] == first == [[(500,)], [(501,)], [(3,)]]

    async def test_waits_for_no_connection_of_the_one_before(
        self, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        forgotten = await asyncpg.connect(lent.service_url.replace("+asyncpg", ""))
        await forgotten.execute("BEGIN; INSERT INTO book (shelf_id, title) VALUES (1, 'x'); LOCK TABLE shelf")
        async with asyncio.timeout(20):
            query = await _next(database_pool, lent)
        assert await query("SELECT * FROM book") == []
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
            await forgotten.execute("COMMIT")
        await forgotten.close()


class TestLending:
    async def test_two_that_are_made_at_once_are_two(self, database_factory: DatabaseFactory) -> None:
        first, second = [Shelves((await database_factory(SERVICE, MIGRATIONS)).service_url) for _ in range(2)]
        await first("INSERT INTO book (shelf_id, title) VALUES (1, 'x')")
        assert await second("SELECT * FROM book") == []

    @pytest.mark.parametrize(
        "change",
        ["ALTER TABLE book ADD COLUMN note text", "CREATE TABLE more ()", "REVOKE SELECT ON book FROM shelves"],
    )
    async def test_a_shared_one_keeps_its_tables(self, change: str, database_factory: DatabaseFactory) -> None:
        urls = await database_factory(SERVICE, MIGRATIONS)
        with pytest.raises(asyncpg.RaiseError, match="in a database that tests share"):
            await Shelves(urls.owner_url)(change)

    @pytest.mark.own_database
    async def test_own_ones_are_for_anything(
        self, database_factory: DatabaseFactory, database_pool: DatabasePool
    ) -> None:
        urls = await database_factory(SERVICE, MIGRATIONS)
        await Shelves(urls.owner_url)("ALTER TABLE book ADD COLUMN note text")
        await Shelves(urls.service_url)("INSERT INTO book (shelf_id, title, note) VALUES (1, 'x', 'y')")
        async with made_databases(database_pool) as make:
            lent = await make(SERVICE, MIGRATIONS)
            assert lent != urls
            assert await Shelves(lent.service_url)("SELECT * FROM book") == []

    async def test_own_ones_are_gone_afterwards(self, database_pool: DatabasePool) -> None:
        async with made_databases(database_pool, own=True) as make:
            urls = await make(SERVICE, MIGRATIONS)
        with pytest.raises(asyncpg.InvalidCatalogNameError):
            await Shelves(urls.service_url)("SELECT 1")
