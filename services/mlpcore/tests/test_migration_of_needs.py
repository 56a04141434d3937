"""The needs of services, as the migration finds their settings and as the previous release writes them beside it."""

import json
from collections.abc import AsyncGenerator, Callable

import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from mlpcore.main import MIGRATIONS
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import configuration

BEFORE, AFTER = "0037", "0038"
COLUMNS = ("milli_cpu", "ram_mb", "disk_mb", "gpu_count", "vram_mb", "gpu_models", "server_labels")
SMALL = {"cpuRequest": "250m", "memoryLimit": "1Gi", "ephemeralDiskLimit": "1.5Gi", "gpuRequested": False}
WITH_GPU = SMALL | {
    "gpuRequested": True, "gpuCount": 2, "gpuMemoryLimitMb": 4096, "gpuModels": ["NVIDIA L4"], "serverLabels": {"a": "b"}
}  # fmt: skip
MOST, MOST_MIB = 2**63 - 1, 2**43
_NEUTRAL = {"boolean": "false", "text": "''", "jsonb": "'{}'", "ARRAY": "'{}'", "timestamp with time zone": "now()"}
_Move = Callable[..., None]


@pytest.fixture
async def connection(embedded_postgres: EmbeddedPostgres) -> AsyncGenerator[AsyncConnection]:
    """Connects to a database with the tables of the previous release."""
    made = await embedded_postgres.service_database("mlpcore", "mlpcore_needs_of_before")
    engine = create_async_engine(made.owner_url)
    async with engine.connect() as opened:
        await opened.run_sync(_run, command.upgrade, BEFORE)
        yield opened
    await engine.dispose()
    await embedded_postgres.drop("mlpcore_needs_of_before")


def _run(connection: Connection, move: _Move, revision: str) -> None:
    config = configuration(MIGRATIONS)
    config.attributes["connection"] = connection
    move(config, revision)


async def add(connection: AsyncConnection, name: str, limits: object) -> None:
    """Writes a model like the previous release, which does not name the new columns."""
    wanted = sa.text(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'model'"
        " AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO' AND is_generated = 'NEVER'"
    )
    given = {row.column_name: _NEUTRAL.get(row.data_type, "0") for row in (await connection.execute(wanted)).all()}
    given |= {"name": ":name", "resource_limits": "CAST(:limits AS jsonb)"}
    statement = sa.text(f"INSERT INTO model ({', '.join(given)}) VALUES ({', '.join(given.values())})")
    await connection.execute(statement, {"name": name, "limits": json.dumps(limits)})


async def needs(connection: AsyncConnection) -> dict[str, tuple[object, ...]]:
    rows = await connection.execute(sa.text(f"SELECT name, {', '.join(COLUMNS)} FROM model"))
    return {name: tuple(needed) for name, *needed in rows.all()}


class TestMigration:
    async def test_reads_the_settings_that_it_finds(self, connection: AsyncConnection) -> None:
        for name, limits in {
            "small": SMALL,
            "gpu": WITH_GPU,
            "large": SMALL | {"cpuRequest": "9E"},
            "unreadable": SMALL | {"memoryLimit": "lots", "gpuRequested": "perhaps", "gpuModels": "any"},
            "empty": {},
            "list": [],
            "null": None,
        }.items():
            await add(connection, name, limits)
        await connection.run_sync(_run, command.upgrade, AFTER)
        nothing = (MOST, MOST_MIB, MOST_MIB, 0, None, [], {})
        assert await needs(connection) == {
            "small": (250, 1024, 1536, 0, None, [], {}),
            "gpu": (250, 1024, 1536, 2, 4096, ["NVIDIA L4"], {"a": "b"}),
            "large": (MOST, 1024, 1536, 0, None, [], {}),
            "unreadable": (250, MOST_MIB, 1536, 0, None, [], {}),
            "empty": nothing,
            "list": nothing,
            "null": nothing,
        }

    async def test_follows_what_the_previous_release_writes(self, connection: AsyncConnection) -> None:
        await connection.run_sync(_run, command.upgrade, AFTER)
        await add(connection, "m", SMALL)
        assert (await needs(connection))["m"][:3] == (250, 1024, 1536)
        # A restored dump is read with an empty search path.
        await connection.execute(sa.text("SET LOCAL search_path TO ''"))
        changed = sa.text("UPDATE public.model SET resource_limits = CAST(:limits AS jsonb)")
        await connection.execute(changed, {"limits": json.dumps(WITH_GPU | {"cpuRequest": "2"})})
        await connection.execute(sa.text("SET LOCAL search_path TO public"))
        assert await needs(connection) == {"m": (2000, 1024, 1536, 2, 4096, ["NVIDIA L4"], {"a": "b"})}

    async def test_downgrade_leaves_the_settings(self, connection: AsyncConnection) -> None:
        await add(connection, "m", SMALL)
        await connection.run_sync(_run, command.upgrade, AFTER)
        await connection.run_sync(_run, command.downgrade, BEFORE)
        left = (await connection.execute(sa.text("SELECT to_jsonb(m) FROM model m"))).scalar_one()
        assert left["resource_limits"] == SMALL
        assert not set(COLUMNS) & set(left)
        functions = "SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND proname LIKE 'needed%'"
        assert (await connection.execute(sa.text(functions))).all() == []
