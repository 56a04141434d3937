"""Prices of groups and servers, read and written by processes of this release and of the previous one."""

import json
from decimal import Decimal

import httpx
import pytest
import sqlalchemy as sa

from mlplace_runtime.db.database import Database
from mlplace_testing.world import World

GROUPS = "/api/mlpcore/account/acme/resource-groups"
MINE = f"{GROUPS}/mine"
TERMS = {"costPrice": 1.000000001, "price": 2.5, "payback": 100, "tarifficationPeriod": "DAY", "currency": "TOKEN"}
OTHERS = {"deploymentName": "d", "isShared": True, "rentalConstraints": {"minVramGb": 8}}


@pytest.fixture
async def group(client: httpx.AsyncClient, world: World) -> str:
    answer = await client.post(GROUPS, json={"name": "mine", **TERMS, **OTHERS}, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return MINE


async def shown(client: httpx.AsyncClient, world: World) -> dict[str, object]:
    """Returns the terms as the API shows them."""
    found = (await client.get(MINE, headers=world.owner)).json()
    return {name: found[name] for name in TERMS}


async def change(client: httpx.AsyncClient, world: World, **fields: object) -> None:
    answer = await client.post(MINE, json=fields, headers=world.owner)
    assert answer.status_code == 200, answer.text


async def extras(database: Database) -> dict[str, object]:
    """Returns what a process of the previous release reads."""
    async with database.transaction() as session:
        found = await session.execute(sa.text("SELECT extras FROM resource_group WHERE name = 'mine'"))
        return found.scalar_one()


async def write_extras(database: Database, **fields: object) -> None:
    """Writes like a process of the previous release: the `extras` that it has read, with the sent fields."""
    whole = json.dumps(await extras(database) | fields)
    async with database.transaction() as session:
        statement = sa.text("UPDATE resource_group SET extras = CAST(:whole AS jsonb) WHERE name = 'mine'")
        await session.execute(statement, {"whole": whole})


@pytest.mark.usefixtures("group")
class TestPricesOfGroup:
    async def test_are_returned_as_sent(self, client: httpx.AsyncClient, world: World) -> None:
        assert await shown(client, world) == TERMS
        found = (await client.get(MINE, headers=world.owner)).json()
        assert (found["deploymentName"], found["isShared"], found["rentalConstraints"]["minVramGb"]) == ("d", True, 8)

    async def test_survive_a_change_of_other_fields(self, client: httpx.AsyncClient, world: World) -> None:
        await change(client, world, deploymentName="other", enabledEviction=True)
        assert await shown(client, world) == TERMS

    async def test_null_removes_them(self, client: httpx.AsyncClient, world: World) -> None:
        await change(client, world, price=None, currency=None)
        assert await shown(client, world) == TERMS | {"price": None, "currency": None}

    async def test_the_previous_release_reads_them(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        amounts = {"costPrice": "1.000000001", "price": "2.5", "payback": "100"}
        found = await extras(database)
        assert {name: found[name] for name in TERMS} == TERMS | amounts
        await change(client, world, price=3, currency=None)
        found = await extras(database)
        assert (found["price"], found.get("currency"), found["payback"]) == ("3", None, "100")
        assert found["deploymentName"] == "d"

    async def test_the_previous_release_writes_them(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await write_extras(database, price="0.25", tarifficationPeriod=None)
        assert await shown(client, world) == TERMS | {"price": 0.25, "tarifficationPeriod": None}
        await change(client, world, price=4, deploymentName="other")
        await write_extras(database, currency="RUBLE")
        assert await shown(client, world) == TERMS | {"price": 4, "tarifficationPeriod": None, "currency": "RUBLE"}


class TestCostOfServer:
    async def test_both_releases_fill_the_column(
        self, client: httpx.AsyncClient, world: World, group: str, database: Database
    ) -> None:
        body = {"serverName": "here", "rawConfiguration": "provider: hosting_server\n", "costPrice": 7.25}
        made = await client.post(f"{group}/server", json=body, headers=world.owner)
        assert (made.status_code, made.json()["costPrice"]) == (200, 7.25)
        async with database.transaction() as session:
            await session.execute(_COPY_OF_BEFORE)
            rows = await session.execute(sa.text("SELECT name, cost_price, extras ->> 'cost_price' FROM server"))
            assert {tuple(row) for row in rows.all()} == {
                ("here", Decimal("7.25"), "7.25"),
                ("there", Decimal("0.5"), "0.5"),
            }


_COPY_OF_BEFORE = sa.text(
    "INSERT INTO server (account_id, group_id, name, raw_configuration, tariffication_price, extras, created_at)"
    " SELECT account_id, group_id, 'there', '', 0, '{\"cost_price\": \"0.5\"}', now() FROM server"
)
