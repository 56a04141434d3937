"""Test databases, built by the migrations: shared by the tests of a process and emptied after each test.

Deleting a test's rows takes a fraction of the time of cloning the database. A shared database refuses changes that
cannot be undone by that: a test that changes tables or grants is marked `own_database` and gets clones.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import asyncpg

from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import upgrade
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_testing.compiled import KEPT, all_returned, end_connections, keep_connections

if TYPE_CHECKING:
    from asyncpg import Connection, Record

DatabaseFactory = Callable[[str, Path], Awaitable[ServiceDatabase]]
"""Returns a database of the named service, built by the migrations in the given folder."""

_END_MILLISECONDS = 10_000

_TABLES = """
    SELECT oid::regclass::text FROM pg_class
    WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY relname
"""
_COLUMNS = """
    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
"""
_PREPARE = """
    CREATE SCHEMA pristine;
    CREATE TABLE pristine.sequences AS
        SELECT seqrelid::regclass AS name, seqstart AS start, pg_sequence_last_value(seqrelid) AS last
        FROM pg_sequence;
    CREATE FUNCTION pristine.refuse() RETURNS event_trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION '% in a database that tests share', tg_tag
            USING HINT = 'Mark the test with pytest.mark.own_database.';
    END $$;
    CREATE EVENT TRIGGER refuse ON ddl_command_start EXECUTE FUNCTION pristine.refuse();
"""
_RESTORE = """
    CREATE FUNCTION pristine.restore(keeps boolean) RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
        PERFORM pg_terminate_backend(pid, {milliseconds}) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
            AND NOT (keeps AND application_name = '{kept}' AND state = 'idle');
        {statements}
        PERFORM setval(name, coalesce(last, start), last IS NOT NULL) FROM pristine.sequences
            WHERE pg_sequence_last_value(name) IS DISTINCT FROM last;
    END $$;
"""


@dataclass(frozen=True, slots=True)
class _Shared:
    """`connection` bypasses triggers and foreign keys, in order to delete rows."""

    name: str
    connection: "Connection[Record]"


class DatabasePool:
    """The test databases of one server."""

    def __init__(self, server: EmbeddedPostgres) -> None:
        self._server = server
        self._templates: dict[str, str] = {}
        self._free: dict[str, list[_Shared]] = {}
        self._lent: dict[str, _Shared] = {}
        self._numbers = count(1)

    async def lend(self, service: str, scripts: Path) -> ServiceDatabase:
        """Returns a database with no rows but those of the migrations; it is not shared until it is returned."""
        free = self._free.setdefault(service, [])
        shared = free.pop() if free else await self._share(service, scripts)
        urls = self._urls(service, shared.name)
        self._lent[urls.owner_url] = shared
        keep_connections(urls.service_url)
        return urls

    async def take_back(self, service: str, urls: ServiceDatabase) -> None:
        """Ends the connections to the database that are not kept, and undoes what was written."""
        shared = self._lent.pop(urls.owner_url)
        await shared.connection.execute(f"SELECT pristine.restore({await all_returned(urls.service_url)})")
        self._free[service].append(shared)

    async def clone(self, service: str, scripts: Path) -> ServiceDatabase:
        """Returns a new database, which the test may change in any way. End it with `drop`."""
        return self._urls(service, await self._clone(service, scripts))

    async def drop(self, urls: ServiceDatabase) -> None:
        await self._server.drop(urls.owner_url.partition("?")[0].rpartition("/")[2])

    async def close(self) -> None:
        for service, free in self._free.items():
            for shared in free:
                await end_connections(self._urls(service, shared.name).service_url)
        for shared in [*self._lent.values(), *(each for free in self._free.values() for each in free)]:
            await shared.connection.close()

    def _urls(self, service: str, name: str) -> ServiceDatabase:
        return ServiceDatabase(
            owner_url=self._server.url(role=f"{service}_owner", database=name),
            service_url=self._server.url(role=service, database=name),
        )

    async def _clone(self, service: str, scripts: Path) -> str:
        if service not in self._templates:
            template = f"{service}_template"
            owner = await self._server.service_database(service, template)
            await upgrade(owner.owner_url, scripts)
            self._templates[service] = template
        name = f"{service}_t{next(self._numbers)}"
        await self._server.clone(self._templates[service], name)
        return name

    async def _share(self, service: str, scripts: Path) -> _Shared:
        name = await self._clone(service, scripts)
        connection = await asyncpg.connect(
            self._server.admin_dsn(name), server_settings={"session_replication_role": "replica"}
        )
        await connection.execute(_PREPARE)
        tables = [str(row[0]) for row in await connection.fetch(_TABLES)]
        statements = [f"DELETE FROM {table};" for table in tables]  # noqa: S608  a name of ours
        for number, table in enumerate(tables):
            if await connection.fetchval(f"SELECT EXISTS (SELECT FROM {table})"):  # noqa: S608  a name of ours
                statements.append(await _keep(connection, table, f"pristine.rows{number}"))
        made = _RESTORE.format(milliseconds=_END_MILLISECONDS, kept=KEPT, statements="\n".join(statements))
        await connection.execute(made)
        return _Shared(name, connection)


@asynccontextmanager
async def made_databases(databases: DatabasePool, *, own: bool = False) -> AsyncGenerator[DatabaseFactory]:
    """Yields a factory whose databases are lent, or cloned with `own`, until the block ends."""
    made: list[tuple[str, ServiceDatabase]] = []

    async def make(service: str, scripts: Path) -> ServiceDatabase:
        urls = await (databases.clone if own else databases.lend)(service, scripts)
        made.append((service, urls))
        return urls

    yield make
    for service, urls in made:
        if own:
            await databases.drop(urls)
        else:
            await databases.take_back(service, urls)


async def _keep(connection: "Connection[Record]", table: str, copy: str) -> str:
    """Copies the rows that the migrations created. Returns the statement that restores them."""
    columns = await connection.fetchval(_COLUMNS, table)
    await connection.execute(f"CREATE TABLE {copy} AS SELECT {columns} FROM {table}")  # noqa: S608  names of ours
    return f"INSERT INTO {table} ({columns}) OVERRIDING SYSTEM VALUE SELECT {columns} FROM {copy};"  # noqa: S608  as above
