from typing import Any, cast

import pytest
import sqlalchemy as sa
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy.ext.asyncio import create_async_engine

from mlpgateway.main import MIGRATIONS
from mlpgateway.registry import METADATA
from mlplace_runtime.db import messaging
from mlplace_runtime.db.migrations import configuration


class TestMigrations:
    @pytest.mark.own_database
    async def test_migrations_build_exactly_the_tables_and_can_be_undone(self, database_factory) -> None:
        urls = await database_factory("mlpgateway", MIGRATIONS)
        engine = create_async_engine(urls.owner_url, poolclass=sa.NullPool)

        def check(connection: sa.Connection) -> list[str]:
            context = MigrationContext.configure(connection, opts={"compare_type": True})
            both: list[Any] = [METADATA, messaging.metadata]
            assert compare_metadata(context, cast("sa.MetaData", both)) == []
            config = configuration(MIGRATIONS)
            config.attributes["connection"] = connection
            command.downgrade(config, "base")
            return [name for name in sa.inspect(connection).get_table_names() if name != "alembic_version"]

        async with engine.connect() as connection:
            assert await connection.run_sync(check) == []
        await engine.dispose()
