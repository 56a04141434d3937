import asyncio

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import create_async_engine

from mlpcore.main import MIGRATIONS
from mlpcore.registry import METADATA
from mlplace_runtime.db import messaging, migrations
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import configuration, upgrade
from mlplace_testing.waiting import eventually


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

    async def test_upgrade_waits_for_another_one_however_long_it_takes(
        self, embedded_postgres: EmbeddedPostgres, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(migrations, "LOCK_TIMEOUT_MS", 50)
        made = await embedded_postgres.service_database("mlpcore", "mlpcore_migrations_wait")
        engine = create_async_engine(made.owner_url)
        async with engine.connect() as connection:
            await connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": migrations.LOCK})
            waiting = asyncio.create_task(upgrade(made.owner_url, MIGRATIONS))
            waits = sa.text(
                "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND objid = :key"
            )
            await eventually(lambda: connection.scalar(waits, {"key": migrations.LOCK}), seconds=60)
            assert await asyncio.wait({waiting}, timeout=0.5) == (set(), {waiting})
            await connection.rollback()
            await waiting
            assert await connection.run_sync(_drift) == []
        await engine.dispose()
