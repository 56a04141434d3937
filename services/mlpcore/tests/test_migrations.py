import asyncio

import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from mlpcore.main import MIGRATIONS
from mlpcore.registry import METADATA
from mlplace_runtime.db import messaging
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import configuration, upgrade


def _drift(connection: Connection) -> list[object]:
    context = MigrationContext.configure(connection, opts={"compare_type": True})
    found: list[object] = compare_metadata(context, _everything())
    return found


def _everything() -> sa.MetaData:
    whole = sa.MetaData()
    for metadata in (METADATA, messaging.metadata):
        for table in metadata.tables.values():
            table.to_metadata(whole)
    return whole


def _downgrade(connection: Connection) -> list[str]:
    config = configuration(MIGRATIONS)
    config.attributes["connection"] = connection
    command.downgrade(config, "base")
    return [name for name in sa.inspect(connection).get_table_names() if name != "alembic_version"]


class TestMigrations:
    async def test_upgrade_matches_the_tables_and_downgrade_removes_them(
        self, embedded_postgres: EmbeddedPostgres
    ) -> None:
        made = await embedded_postgres.service_database("mlpcore", "mlpcore_migrations")
        await asyncio.gather(upgrade(made.owner_url, MIGRATIONS), upgrade(made.owner_url, MIGRATIONS))
        engine = create_async_engine(made.owner_url)
        async with engine.connect() as connection:
            assert await connection.run_sync(_drift) == []
            assert await connection.run_sync(_downgrade) == []
        await engine.dispose()
