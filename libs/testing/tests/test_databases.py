"""Tests that a shared database is reset before the next test gets it."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import asyncpg
import pytest
from sqlalchemy import text

from mlplace_runtime.db.database import Database
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_testing.compiled import opened_database
from mlplace_testing.databases import DatabaseFactory, DatabasePool, made_databases

MIGRATIONS = Path(__file__).parent / "migrations"
SERVICE = "shelves"


class Shelves:
    """Queries a test's database as one of its roles."""

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
    """A database from the pool; `_next` returns it and lends it again."""
    urls = await database_pool.lend(SERVICE, MIGRATIONS)
    yield urls
    await database_pool.take_back(SERVICE, urls)


async def _next(pool: DatabasePool, urls: ServiceDatabase) -> Shelves:
    """Returns the database to the pool and lends it again, as for the next test."""
    await pool.take_back(SERVICE, urls)
    assert await pool.lend(SERVICE, MIGRATIONS) == urls
    return Shelves(urls.service_url)


class TestDatabaseOfTheNextTest:
    async def test_has_no_rows_of_the_former_test(self, database_pool: DatabasePool, lent: ServiceDatabase) -> None:
        await Shelves(lent.service_url)("INSERT INTO book (shelf_id, title) VALUES (1, 'one'), (1, 'two')")
        query = await _next(database_pool, lent)
        assert await query("SELECT * FROM book") == []

    async def test_has_no_rows_of_an_append_only_table(
        self, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        """The table refuses DELETE; only the pool can delete its rows."""
        await Shelves(lent.service_url)("INSERT INTO loan (title) VALUES ('one')")
        with pytest.raises(asyncpg.RaiseError, match="append only"):
            await Shelves(lent.owner_url)("DELETE FROM loan")
        query = await _next(database_pool, lent)
        assert await query("SELECT * FROM loan") == []

    @pytest.mark.parametrize(
        "change",
        ["DELETE FROM shelf", "UPDATE shelf SET name = 'changed'", "INSERT INTO shelf (name) VALUES ('more')"],
    )
    async def test_has_the_rows_of_the_migrations_unchanged(
        self, change: str, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        before = await Shelves(lent.service_url)("SELECT * FROM shelf ORDER BY id")
        assert [row[:2] for row in before] == [(1, "first"), (2, "second")]
        await Shelves(lent.owner_url)(change)
        query = await _next(database_pool, lent)
        assert await query("SELECT * FROM shelf ORDER BY id") == before

    async def test_has_sequences_reset_to_their_state_after_the_migrations(
        self, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        book, shelf = "INSERT INTO book (shelf_id, title) VALUES (1, 'x') RETURNING id", "INSERT INTO shelf (name) VALUES ('x') RETURNING id"  # fmt: skip
        query = Shelves(lent.service_url)
        first = [await query(book), await query(book), await query(shelf)]
        query = await _next(database_pool, lent)
        assert [await query(book), await query(book), await query(shelf)] == first == [[(500,)], [(501,)], [(3,)]]

    async def test_does_not_wait_for_connections_of_the_former_test(
        self, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        forgotten = await asyncpg.connect(lent.service_url.replace("+asyncpg", ""))
        await forgotten.execute("BEGIN; INSERT INTO book (shelf_id, title) VALUES (1, 'x'); LOCK TABLE shelf")
        async with asyncio.timeout(60):
            query = await _next(database_pool, lent)
        assert await query("SELECT * FROM book") == []
        with pytest.raises((asyncpg.PostgresError, asyncpg.InterfaceError, OSError)):
            await forgotten.execute("COMMIT")
        await forgotten.close()


class TestKeptConnections:
    """A test's connections are those of the test before."""

    async def test_stay_open_for_the_next_test(self, database_pool: DatabasePool, lent: ServiceDatabase) -> None:
        before = await _backend(opened_database(lent.service_url))
        await _next(database_pool, lent)
        assert await _backend(opened_database(lent.service_url)) == before

    async def test_that_a_test_did_not_return_are_ended(
        self, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        before = await _backend(opened_database(lent.service_url))
        forgotten = await opened_database(lent.service_url).engine.connect()
        await forgotten.execute(text("INSERT INTO book (shelf_id, title) VALUES (1, 'x')"))
        async with asyncio.timeout(60):
            query = await _next(database_pool, lent)
        assert await query("SELECT * FROM book") == []
        assert await _backend(opened_database(lent.service_url)) != before
        await forgotten.invalidate()
        await forgotten.close()

    @pytest.mark.own_database
    async def test_of_an_own_database_are_not_kept(self, database_factory: DatabaseFactory) -> None:
        opened = opened_database((await database_factory(SERVICE, MIGRATIONS)).service_url)
        before = await _backend(opened)
        assert await _backend(opened) != before

    async def test_signals_of_a_test_do_not_reach_the_next(
        self, database_pool: DatabasePool, lent: ServiceDatabase
    ) -> None:
        opened_database(lent.service_url).signal("told").set()
        await _next(database_pool, lent)
        assert not opened_database(lent.service_url).signal("told").is_set()


async def _backend(database: Database) -> int:
    """Returns the id of the server's process behind a connection, and closes the database as a test does."""
    async with database.transaction() as session:
        found = (await session.execute(text("SELECT pg_backend_pid()"))).scalar_one()
    await database.close()
    return found


class TestLending:
    async def test_two_databases_of_one_test_are_separate(self, database_factory: DatabaseFactory) -> None:
        first, second = [Shelves((await database_factory(SERVICE, MIGRATIONS)).service_url) for _ in range(2)]
        await first("INSERT INTO book (shelf_id, title) VALUES (1, 'x')")
        assert await second("SELECT * FROM book") == []

    @pytest.mark.parametrize(
        "change",
        ["ALTER TABLE book ADD COLUMN note text", "CREATE TABLE more ()", "REVOKE SELECT ON book FROM shelves"],
    )
    async def test_a_shared_database_refuses_changes_of_tables_and_grants(
        self, change: str, database_factory: DatabaseFactory
    ) -> None:
        urls = await database_factory(SERVICE, MIGRATIONS)
        with pytest.raises(asyncpg.RaiseError, match="in a database that tests share"):
            await Shelves(urls.owner_url)(change)

    @pytest.mark.own_database
    async def test_an_own_database_allows_any_change(
        self, database_factory: DatabaseFactory, database_pool: DatabasePool
    ) -> None:
        urls = await database_factory(SERVICE, MIGRATIONS)
        await Shelves(urls.owner_url)("ALTER TABLE book ADD COLUMN note text")
        await Shelves(urls.service_url)("INSERT INTO book (shelf_id, title, note) VALUES (1, 'x', 'y')")
        async with made_databases(database_pool) as make:
            lent = await make(SERVICE, MIGRATIONS)
            assert lent != urls
            assert await Shelves(lent.service_url)("SELECT * FROM book") == []

    async def test_an_own_database_is_dropped_after_the_test(self, database_pool: DatabasePool) -> None:
        async with made_databases(database_pool, own=True) as make:
            urls = await make(SERVICE, MIGRATIONS)
        with pytest.raises(asyncpg.InvalidCatalogNameError):
            await Shelves(urls.service_url)("SELECT 1")
