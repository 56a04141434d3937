"""Time zones of accounts, as the migration finds them and as the previous release reads them."""

import json
from collections.abc import AsyncGenerator

import httpx
import pytest
import sqlalchemy as sa
from alembic import command
from sqlalchemy import Connection
from sqlalchemy.ext.asyncio import AsyncConnection, create_async_engine

from mlpcore.main import MIGRATIONS
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.embedded import EmbeddedPostgres
from mlplace_runtime.db.migrations import configuration
from mlplace_testing.world import World

ACME, GLOBEX = 1000000001, 1000000002
PERIOD = {"startTime": {"hour": 9, "minute": 0}, "endTime": {"hour": 18, "minute": 0}}
_NEUTRAL = {
    "bigint": "0",
    "boolean": "false",
    "text": "''",
    "jsonb": "'{}'",
    "ARRAY": "'{}'",
    "timestamp with time zone": "now()",
}


def _upgrade(connection: Connection, revision: str) -> None:
    config = configuration(MIGRATIONS)
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


@pytest.fixture
async def connection(embedded_postgres: EmbeddedPostgres) -> AsyncGenerator[AsyncConnection]:
    """Connects to a database with the tables of the previous release."""
    made = await embedded_postgres.service_database("mlpcore", "mlpcore_zones_of_before")
    engine = create_async_engine(made.owner_url)
    async with engine.connect() as opened:
        await opened.run_sync(_upgrade, "0028")
        yield opened
    await engine.dispose()
    await embedded_postgres.drop("mlpcore_zones_of_before")


async def _add(connection: AsyncConnection, table: str, **values: str) -> None:
    """Adds a row with these values, and neutral ones for the columns that need one."""
    needed = sa.text(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = :table"
        " AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'"
    )
    rows = (await connection.execute(needed, {"table": table})).all()
    given = {row.column_name: _NEUTRAL.get(row.data_type, "0") for row in rows} | values
    await connection.execute(sa.text(f"INSERT INTO {table} ({', '.join(given)}) VALUES ({', '.join(given.values())})"))


async def _add_services(connection: AsyncConnection, account_id: int, *zones: str | None, periods: int = 1) -> None:
    """The later ones were changed later."""
    for number, zone in enumerate(zones):
        stored = {"timeZone": zone, "scheduledInstanceCountSettings": [PERIOD] * periods}
        await _add(
            connection,
            "model",
            account_id=str(account_id),
            name=f"'{account_id}-{zone}-{number}-{periods}'",
            auto_scaling_configuration=f"'{json.dumps(stored)}'".replace(":", "\\:"),
            updated_at=f"now() + interval '{number} hours'",
        )


class TestMigration:
    async def _zones(self, connection: AsyncConnection) -> dict[int, str | None]:
        for account_id in (ACME, GLOBEX):
            await _add(connection, "platform_account", account_id=str(account_id))
        await connection.run_sync(_upgrade, "0029")
        rows = await connection.execute(sa.text("SELECT account_id, time_zone FROM platform_account"))
        return {row.account_id: row.time_zone for row in rows.all()}

    async def test_account_of_mostly_services_without_a_zone_keeps_that_of_the_installation(
        self, connection: AsyncConnection
    ) -> None:
        await _add_services(connection, ACME, *[None] * 9, "Asia/Tokyo")
        await _add_services(connection, GLOBEX, "Europe/Berlin", "Europe/Berlin", None)
        assert await self._zones(connection) == {ACME: None, GLOBEX: "Europe/Berlin"}

    async def test_last_change_decides_between_equals_and_services_without_a_schedule_do_not_count(
        self, connection: AsyncConnection
    ) -> None:
        await _add_services(connection, ACME, None, "Asia/Tokyo")
        await _add_services(connection, ACME, None, None, None, periods=0)
        await _add_services(connection, GLOBEX, "Asia/Tokyo", None)
        assert await self._zones(connection) == {ACME: "Asia/Tokyo", GLOBEX: None}


class TestStoredForThePreviousRelease:
    async def test_saved_clones_and_changed_accounts_write_the_zone_of_the_account(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        mine, model = "/api/mlpcore/account", "/api/mlpcore/account/acme/model"
        periods = [PERIOD | {"minInstances": 1, "maxInstances": 2}]
        body = {"modelName": "m", "autoScalingConfiguration": {"scheduledInstanceCountSettings": periods}}
        account = (await client.get(mine, headers=world.owner)).json()

        async def stored() -> dict[str, str | None]:
            async with database.transaction() as session:
                zone = "auto_scaling_configuration ->> 'timeZone' AS zone"
                return {row.name: row.zone for row in await session.execute(sa.text(f"SELECT name, {zone} FROM model"))}

        async def live_in(zone: str) -> None:
            answer = await client.post(mine, json=account | {"timeZone": zone}, headers=world.owner)
            assert answer.status_code == 200, answer.text

        made = await client.post(model, json=body | {"prototype": True}, headers=world.owner)
        assert made.status_code == 200, made.text
        assert await stored() == {"m": None}
        await live_in("Asia/Tokyo")
        assert await stored() == {"m": "Asia/Tokyo"}
        saved = (await client.post(f"{model}/m", json=body, headers=world.owner)).json()
        assert saved["autoScalingConfiguration"]["timeZone"] is None
        await client.post(model, json=body | {"modelName": "n"}, headers=world.owner)
        cloned = await client.post(f"{model}/m/clone", params={"name": "c"}, headers=world.owner)
        assert cloned.status_code == 200, cloned.text
        assert await stored() == dict.fromkeys(("m", "n", "c"), "Asia/Tokyo")
