import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from mlpbilling.main import MIGRATIONS
from mlpbilling.registry import METADATA
from mlplace_runtime.db import messaging
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import configuration, upgrade


def _drift(connection: Connection) -> list[object]:
    whole = sa.MetaData()
    for metadata in (METADATA, messaging.metadata):
        for table in metadata.tables.values():
            table.to_metadata(whole)
    found: list[object] = compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), whole)
    return found


def _upgrade(connection: Connection, revision: str) -> None:
    config = configuration(MIGRATIONS)
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _downgrade(connection: Connection) -> list[str]:
    config = configuration(MIGRATIONS)
    config.attributes["connection"] = connection
    command.downgrade(config, "base")
    left = connection.execute(sa.text("SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace"))
    return [name for name in sa.inspect(connection).get_table_names() if name != "alembic_version"] + list(
        left.scalars()
    )


class TestMigrations:
    async def test_upgrade_matches_the_tables_and_downgrade_removes_them(
        self, embedded_postgres: EmbeddedPostgres
    ) -> None:
        made = await embedded_postgres.service_database("mlpbilling", "mlpbilling_migrations")
        await upgrade(made.owner_url, MIGRATIONS)
        engine = create_async_engine(made.owner_url)
        async with engine.connect() as connection:
            assert await connection.run_sync(_drift) == []
            assert await connection.run_sync(_downgrade) == []
        await engine.dispose()

    async def test_negative_balances_before_debts_existed_count_as_advances(
        self, embedded_postgres: EmbeddedPostgres
    ) -> None:
        made = await embedded_postgres.service_database("mlpbilling", "mlpbilling_before_debts")
        engine = create_async_engine(made.owner_url)
        async with engine.connect() as connection:
            await connection.run_sync(_upgrade, "0003")
            written = "INSERT INTO balance (account_id, currency, main_nano, income_nano, held_nano, version) "
            await connection.execute(sa.text(f"{written} VALUES (1, 'RUBLE', -20, 5, 0, 1), (2, 'RUBLE', 7, 0, 0, 1)"))
            await connection.run_sync(_upgrade, "head")
            found = await connection.execute(
                sa.text("SELECT account_id, owed_nano, advanced_nano FROM balance ORDER BY account_id")
            )
            assert [tuple(row) for row in found] == [(1, 0, 20), (2, 0, 0)]
            await connection.execute(sa.text(f"{written} VALUES (3, 'RUBLE', 1, 0, 0, 1)"))  # as former code still does
        await engine.dispose()
