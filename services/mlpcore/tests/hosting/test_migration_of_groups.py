"""The migration of resource groups, from a database of the release before."""

from collections.abc import AsyncGenerator, Awaitable, Callable

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from mlpcore.main import MIGRATIONS
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import configuration

ACME, GLOBEX = 1000000001, 1000000002
BEFORE = "0011"
Migrate = Callable[[str], Awaitable[None]]


@pytest.fixture
async def connection(embedded_postgres: EmbeddedPostgres) -> AsyncGenerator[AsyncConnection]:
    """To a database as the release before left it."""
    made = await embedded_postgres.service_database("mlpcore", "mlpcore_groups_of_before")
    engine = create_async_engine(made.owner_url)
    async with engine.connect() as opened:
        await opened.run_sync(_run, command.upgrade, BEFORE)
        yield opened
    await engine.dispose()
    await embedded_postgres.drop("mlpcore_groups_of_before")


@pytest.fixture
def migrate(connection: AsyncConnection) -> Migrate:
    async def run(revision: str) -> None:
        move = command.downgrade if revision == BEFORE else command.upgrade
        await connection.run_sync(_run, move, revision)

    return run


def _run(connection: Connection, move: Callable[..., None], revision: str) -> None:
    config = configuration(MIGRATIONS)
    config.attributes["connection"] = connection
    move(config, revision)


async def add_group(
    connection: AsyncConnection, account_id: int, name: str, *, default: bool = False, access: str = "PRIVATE"
) -> int:
    """As the release before writes it."""
    statement = sa.text(
        "INSERT INTO resource_group (account_id, name, is_default, access, resource_group_type, enabled_eviction,"
        " enabled_auto_scaling, extras, created_at)"
        " VALUES (:account, :name, :default, :access, 'HOSTING_SERVER', false, false, '{}', now()) RETURNING group_id"
    )
    values = {"account": account_id, "name": name, "default": default, "access": access}
    return (await connection.execute(statement, values)).scalar_one()


class TestDefaults:
    async def test_of_several_the_one_stays_where_services_ran(
        self, connection: AsyncConnection, migrate: Migrate
    ) -> None:
        for account_id, name in ((ACME, "a"), (ACME, "b"), (GLOBEX, "a")):
            await add_group(connection, account_id, name, default=True)
        await add_group(connection, GLOBEX, "b")
        await migrate("0012")
        found = await connection.execute(sa.text("SELECT account_id, name FROM resource_group WHERE is_default"))
        assert {tuple(row) for row in found.all()} == {(1, "default"), (ACME, "a"), (GLOBEX, "a")}
        await migrate(BEFORE)
