"""The migration of resource groups, from a database of the previous release."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from decimal import Decimal

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
    """Connects to a database with the tables of the previous release."""
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
    connection: AsyncConnection,
    account_id: int,
    name: str,
    *,
    default: bool = False,
    access: str = "PRIVATE",
    extras: str = "{}",
) -> int:
    """Writes the group like the previous release."""
    statement = sa.text(
        "INSERT INTO resource_group (account_id, name, is_default, access, resource_group_type, enabled_eviction,"
        " enabled_auto_scaling, extras, created_at)"
        " VALUES (:account, :name, :default, :access, 'HOSTING_SERVER', false, false, CAST(:extras AS jsonb), now()) RETURNING group_id"
    )
    values = {"account": account_id, "name": name, "default": default, "access": access, "extras": extras}
    return (await connection.execute(statement, values)).scalar_one()


_NEUTRAL = {
    "bigint": "0",
    "boolean": "false",
    "text": "''",
    "jsonb": "'{}'",
    "ARRAY": "'{}'",
    "timestamp with time zone": "now()",
}


async def add_model(
    connection: AsyncConnection, account_id: int, name: str, group: str | None, *, deleted: bool = False
) -> None:
    """Writes the model like the previous release."""
    needed = sa.text(
        "SELECT column_name, data_type FROM information_schema.columns WHERE table_name = 'model'"
        " AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'"
    )
    given = {row.column_name: _NEUTRAL[row.data_type] for row in (await connection.execute(needed)).all()}
    given |= {"account_id": ":account", "name": ":name", "resource_group": ":group"}
    given |= {"deleted_at": "now()"} if deleted else {}
    statement = f"INSERT INTO model ({', '.join(given)}) VALUES ({', '.join(given.values())})"
    await connection.execute(sa.text(statement), {"account": account_id, "name": name, "group": group})


async def references(connection: AsyncConnection) -> dict[str, tuple[str | None, int | None]]:
    """Returns the name and the id of each model's group, by model name."""
    rows = await connection.execute(sa.text("SELECT name, resource_group, resource_group_id FROM model"))
    return {row.name: (row.resource_group, row.resource_group_id) for row in rows.all()}


class TestDefaults:
    async def test_of_several_defaults_the_oldest_stays(self, connection: AsyncConnection, migrate: Migrate) -> None:
        for account_id, name in ((ACME, "a"), (ACME, "b"), (GLOBEX, "a")):
            await add_group(connection, account_id, name, default=True)
        await add_group(connection, GLOBEX, "b")
        await migrate("0012")
        found = await connection.execute(sa.text("SELECT account_id, name FROM resource_group WHERE is_default"))
        assert {tuple(row) for row in found.all()} == {(1, "default"), (ACME, "a"), (GLOBEX, "a")}
        await migrate(BEFORE)


class TestReferences:
    async def test_names_of_models_become_ids_of_the_meant_groups(
        self, connection: AsyncConnection, migrate: Migrate
    ) -> None:
        theirs = await add_group(connection, GLOBEX, "open", access="PUBLIC")
        await add_group(connection, GLOBEX, "hidden")
        own = await add_group(connection, ACME, "mine")
        shadowing = await add_group(connection, ACME, "open")
        for name, group in (("own", "mine"), ("nowhere", "ghost"), ("foreign", "hidden"), ("free", None)):
            await add_model(connection, ACME, name, group)
        await add_model(connection, ACME, "shadowed", "open")
        await add_model(connection, 1000000003, "public", "open")
        await add_model(connection, ACME, "gone", "mine", deleted=True)
        await migrate("0012")
        assert await references(connection) == {
            "own": ("mine", own),
            "shadowed": ("open", shadowing),
            "public": ("open", theirs),
            "nowhere": ("ghost", None),
            "foreign": ("hidden", None),
            "free": (None, None),
            "gone": ("mine", None),
        }
        await migrate(BEFORE)
        rows = await connection.execute(sa.text("SELECT name, resource_group FROM model WHERE name = 'public'"))
        assert rows.one() == ("public", "open")

    async def test_models_that_the_previous_release_creates_get_an_id(
        self, connection: AsyncConnection, migrate: Migrate
    ) -> None:
        own = await add_group(connection, ACME, "mine")
        await migrate("0012")
        await add_model(connection, ACME, "own", "mine")
        await add_model(connection, ACME, "free", None)
        await add_model(connection, ACME, "nowhere", "ghost")
        assert await references(connection) == {"own": ("mine", own), "free": (None, None), "nowhere": ("ghost", None)}
        await migrate(BEFORE)

    async def test_names_of_reserves_become_ids_of_the_meant_groups(
        self, connection: AsyncConnection, migrate: Migrate
    ) -> None:
        groups = [await add_group(connection, ACME, name) for name in ("spare", "mine", "lost", "selfish")]
        for group_id, name in zip(groups[1:], ("spare", "ghost", "selfish"), strict=True):
            named = "jsonb_build_object('reserveResourceGroupName', CAST(:name AS text))"
            statement = f"UPDATE resource_group SET auto_scaling_configuration = {named} WHERE group_id = :group_id"
            await connection.execute(sa.text(statement), {"name": name, "group_id": group_id})
        await migrate("0012")
        rows = await connection.execute(
            sa.text("SELECT name, reserve_group_id FROM resource_group WHERE account_id = :account"), {"account": ACME}
        )
        assert {row[0]: row[1] for row in rows.all()} == {
            "spare": None,
            "mine": groups[0],
            "lost": None,
            "selfish": None,
        }
        await migrate(BEFORE)


class TestPrices:
    async def test_move_to_their_own_columns(self, connection: AsyncConnection, migrate: Migrate) -> None:
        """The previous release stored amounts as texts, and removed amounts as null."""
        everything = '{"costPrice": "1.000000001", "price": "2.5", "payback": "1E+2", "tarifficationPeriod": "DAY",'
        priced = await add_group(
            connection, ACME, "priced", extras=everything + ' "currency": "TOKEN", "isShared": true}'
        )
        plain = await add_group(connection, ACME, "plain", extras='{"price": null, "deploymentName": "d"}')
        await connection.execute(_SERVER_OF_BEFORE, {"group": plain, "name": "s1", "extras": '{"cost_price": "7.25"}'})
        await connection.execute(_SERVER_OF_BEFORE, {"group": plain, "name": "s2", "extras": '{"template_id": 3}'})
        await migrate("0012")
        columns = "cost_price, price, payback, tariffication_period, currency"
        rows = await connection.execute(
            sa.text(f"SELECT group_id, {columns} FROM resource_group WHERE account_id = :account"), {"account": ACME}
        )
        assert {row[0]: tuple(row)[1:] for row in rows.all()} == {
            priced: (Decimal("1.000000001"), Decimal("2.5"), Decimal(100), "DAY", "TOKEN"),
            plain: (None, None, None, None, None),
        }
        servers = await connection.execute(sa.text("SELECT name, cost_price FROM server"))
        assert {tuple(row) for row in servers.all()} == {("s1", Decimal("7.25")), ("s2", None)}
        await migrate(BEFORE)
        kept = await connection.execute(sa.text("SELECT extras FROM resource_group WHERE name = 'priced'"))
        assert kept.scalar_one()["price"] == "2.5"


_SERVER_OF_BEFORE = sa.text(
    "INSERT INTO server (account_id, group_id, name, raw_configuration, tariffication_price, extras, created_at)"
    f" VALUES ({ACME}, :group, :name, '', 0, CAST(:extras AS jsonb), now())"
)
