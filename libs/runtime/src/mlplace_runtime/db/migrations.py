"""Schema migrations: one Alembic history per service, run with its owner role before the service starts."""

from pathlib import Path
from typing import Final

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, MetaData, create_engine, pool, text
from sqlalchemy.ext.asyncio import create_async_engine

from mlplace_runtime.db import messaging
from mlplace_runtime.db.errors import NewerSchemaError

LOCK: Final = 0x6D6C_6D67
LOCK_TIMEOUT_MS: Final = 4000
"""A statement that waits longer for a table fails: behind it, the calls of the running release would wait too."""


def configuration(scripts: Path) -> Config:
    config = Config()
    config.set_main_option("script_location", str(scripts))
    config.set_main_option("path_separator", "os")
    return config


async def upgrade(owner_url: str, scripts: Path) -> None:
    """Migrates the database to the newest revision. Concurrent calls wait for each other.

    Raises NewerSchemaError if the database is at a revision that these scripts do not know.
    """
    engine = create_async_engine(owner_url, poolclass=pool.NullPool)
    try:
        async with engine.connect() as connection:
            await connection.run_sync(_upgrade, scripts)
            await connection.commit()
    finally:
        await engine.dispose()


def _upgrade(connection: Connection, scripts: Path) -> None:
    config = configuration(scripts)
    connection.execute(text("SET lock_timeout = 0"))  # the upgrade that runs may take long
    connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
    connection.execute(text(f"SET lock_timeout = {LOCK_TIMEOUT_MS}"))
    directory = ScriptDirectory.from_config(config)
    current = MigrationContext.configure(connection).get_current_revision()
    known = {script.revision for script in directory.walk_revisions()}
    if current is not None and current not in known:
        raise NewerSchemaError(connection.engine.url.database or "the database", current)
    if current == directory.get_current_head():
        return
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


def run_environment(service_metadata: MetaData) -> None:
    """Runs migrations. It is all that a service's `migrations/env.py` calls."""
    from alembic import context

    metadata = [service_metadata, messaging.metadata]
    connection: Connection | None = context.config.attributes.get("connection")
    if connection is not None:
        _run(connection, metadata)
        return
    url = context.config.get_main_option("sqlalchemy.url") or ""
    engine = create_engine(url, poolclass=pool.NullPool)
    with engine.begin() as own:
        _run(own, metadata)


def _run(connection: Connection, metadata: list[MetaData]) -> None:
    from alembic import context

    context.configure(connection=connection, target_metadata=metadata, compare_type=True, compare_server_default=False)
    with context.begin_transaction():
        context.run_migrations()


async def upgrade_all(targets: list[tuple[str, Path]]) -> None:
    """Migrates several databases one after the other, because Alembic's context is global to the process."""
    for owner_url, scripts in targets:
        await upgrade(owner_url, scripts)
