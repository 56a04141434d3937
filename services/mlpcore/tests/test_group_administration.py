"""Administrators read and change the resource groups of all accounts; every account reads those it may use."""

from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.system_account import SYSTEM_ACCOUNT
from mlplace_runtime.db.database import Database
from mlplace_testing.world import World

ADMIN = "/api/mlpcore/admin/resource-groups"


async def create(client: httpx.AsyncClient, headers: dict[str, str], account: str, **data: object) -> None:
    answer = await client.post(f"/api/mlpcore/account/{account}/resource-groups", json=data, headers=headers)
    assert answer.status_code == 200, answer.text


async def listed(client: httpx.AsyncClient, world: World) -> dict[tuple[int, str], dict[str, Any]]:
    answer = await client.get(ADMIN, headers=world.admin)
    assert answer.status_code == 200, answer.text
    return {(row["accountId"], row["name"]): row for row in answer.json()["groups"]}


class TestRead:
    async def test_groups_of_all_accounts(self, client: httpx.AsyncClient, world: World) -> None:
        await create(client, world.owner, "acme", name="mine", costPrice=1.5, currency="RUBLE")
        await create(client, world.stranger, "globex", name="theirs")
        found = await listed(client, world)
        mine = found[world.acme.account_id, "mine"]
        assert (mine["accountName"], mine["ownerId"], mine["costPrice"]) == ("acme", world.acme.account_id, 1.5)
        assert (mine["tolerations"], mine["affinity"]) == ({}, {})
        assert {(world.globex.account_id, "theirs"), (1, "default")} <= set(found)

    async def test_only_administrators(self, client: httpx.AsyncClient, world: World) -> None:
        for headers, status in (({}, 401), (world.owner, 403), (world.stranger, 403)):
            assert (await client.get(ADMIN, headers=headers)).status_code == status
            assert (await client.patch(ADMIN, json={"groups": []}, headers=headers)).status_code == status


class TestChange:
    async def change(self, client: httpx.AsyncClient, world: World, *groups: dict[str, object]) -> httpx.Response:
        return await client.patch(ADMIN, json={"groups": list(groups)}, headers=world.admin)

    async def test_changes_groups_of_several_accounts(self, client: httpx.AsyncClient, world: World) -> None:
        await create(client, world.owner, "acme", name="mine")
        await create(client, world.stranger, "globex", name="theirs", enabledEviction=True)
        acme, globex = world.acme.account_id, world.globex.account_id
        answer = await self.change(
            client,
            world,
            {"accountId": globex, "name": "theirs", "access": "PUBLIC", "affinity": {"zone": ["a"]}},
            {"ownerId": acme, "name": "mine", "isDefault": True, "price": 2, "currency": "RUBLE"},
        )
        assert answer.status_code == 200, answer.text
        found = await listed(client, world)
        assert answer.json()["groups"] == list(found.values())
        theirs, mine = found[globex, "theirs"], found[acme, "mine"]
        assert (theirs["access"], theirs["affinity"], theirs["enabledEviction"]) == ("PUBLIC", {"zone": ["a"]}, True)
        assert (mine["isDefault"], mine["price"], mine["access"]) == (True, 2.0, "PRIVATE")
        logs = await client.get("/api/mlpcore/account/globex/resource-groups/theirs/logs", headers=world.stranger)
        assert logs.json()[0]["args"]["fields"] == ["access"]

    async def test_what_was_read_can_be_sent_back(self, client: httpx.AsyncClient, world: World) -> None:
        await create(client, world.owner, "acme", name="mine", enabledAutoScaling=True)
        before = await listed(client, world)
        answer = await self.change(client, world, *before.values())
        assert answer.status_code == 200, answer.text
        assert await listed(client, world) == before

    @pytest.mark.parametrize(
        ("wrong", "field"),
        [
            ({"name": "none"}, "name"),
            ({"accountId": None, "ownerId": None}, "accountId"),
            ({"resourceGroupType": "KUBERNETES"}, "resourceGroupType"),
            ({"autoScalingConfiguration": {"minServersCount": 0, "reserveResourceGroupName": "none"}},
             "autoScalingConfiguration.reserveResourceGroupName"),
        ],
    )  # fmt: skip
    async def test_one_wrong_group_changes_none(
        self, client: httpx.AsyncClient, world: World, wrong: dict[str, object], field: str
    ) -> None:
        for name in ("mine", "other"):
            await create(client, world.owner, "acme", name=name)
        before, key = await listed(client, world), {"accountId": world.acme.account_id}
        answer = await self.change(
            client, world, {**key, "name": "other", "access": "PUBLIC"}, {**key, "name": "mine", **wrong}
        )
        assert (answer.status_code, list(answer.json()["args"])) == (400, [f"groups.1.{field}"])
        assert await listed(client, world) == before

    async def test_another_group_becomes_the_accounts_public_one(self, client: httpx.AsyncClient, world: World) -> None:
        await create(client, world.admin, "acme", name="z", access="PUBLIC")
        await create(client, world.owner, "acme", name="a")
        key = {"accountId": world.acme.account_id}
        alone = await self.change(client, world, {**key, "name": "a", "access": "PUBLIC"})
        assert (alone.status_code, alone.json()["code"]) == (409, "mlp.core.public_group_exists")
        changes = ({**key, "name": "a", "access": "PUBLIC"}, {**key, "name": "z", "access": "PRIVATE"})
        assert (await self.change(client, world, *changes)).status_code == 200
        found = await listed(client, world)
        assert [found[world.acme.account_id, name]["access"] for name in ("a", "z")] == ["PUBLIC", "PRIVATE"]

    async def test_each_account_has_one_public_group_and_the_platform_several(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await create(client, world.owner, "acme", name="a")
        await create(client, world.stranger, "globex", name="a")
        async with database.transaction() as session:
            session.add(
                ResourceGroup(
                    account_id=SYSTEM_ACCOUNT, name="a", is_default=False, access="PRIVATE",
                    resource_group_type="HOSTING_SERVER", enabled_eviction=False, enabled_auto_scaling=False,
                    extras={}, created_at=datetime.now(UTC),
                )
            )  # fmt: skip
        accounts = (SYSTEM_ACCOUNT, world.acme.account_id, world.globex.account_id)
        changes = ({"accountId": number, "name": "a", "access": "PUBLIC"} for number in accounts)
        assert (await self.change(client, world, *changes)).status_code == 200
        found = await listed(client, world)
        assert {found[number, "a"]["access"] for number in accounts} == {"PUBLIC"}
        assert found[SYSTEM_ACCOUNT, "default"]["access"] == "PUBLIC"

    async def test_huge_and_unknown_bodies_are_refused(self, client: httpx.AsyncClient, world: World) -> None:
        key = {"accountId": 1, "name": "default"}
        for body in ([key] * 1001, [{**key, "servers": []}], [{**key, "affinity": {str(n): 1 for n in range(65)}}]):
            answer = await client.patch(ADMIN, json={"groups": body}, headers=world.admin)
            assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.validation_error")


class TestForAccount:
    URL = "/api/mlpcore/system-config/resource-groups"

    async def test_own_groups_and_public_ones_without_their_costs(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        await create(client, world.owner, "acme", name="mine", costPrice=1.5, currency="RUBLE")
        await create(client, world.stranger, "globex", name="hidden")
        prices = {"costPrice": 3, "payback": 4, "price": 5, "currency": "RUBLE"}
        await create(client, world.admin, "globex", name="open", access="PUBLIC", **prices)
        found = {row["name"]: row for row in (await client.get(self.URL, headers=world.owner)).json()}
        assert set(found) == {"default", "mine", "open"}
        assert (found["mine"]["costPrice"], found["mine"]["accountName"]) == (1.5, "acme")
        assert (found["open"]["costPrice"], found["open"]["payback"], found["open"]["price"]) == (None, None, 5.0)
        shown = await client.get("/api/mlpcore/account/acme/deployable-resource-groups", headers=world.owner)
        (open_group,) = [row for row in shown.json() if row["name"] == "open"]
        assert (open_group["costPrice"], open_group["payback"], open_group["price"]) == (None, None, 5.0)

    async def test_anonymous_callers_are_refused(self, client: httpx.AsyncClient, world: World) -> None:
        assert (await client.get(self.URL)).status_code == 401


class TestTypeOfModel:
    async def path(self, client: httpx.AsyncClient, world: World, **data: object) -> str:
        body = {"modelName": "m", "hostingType": "INTERNAL", **data}
        made = await client.post("/api/mlpcore/account/acme/model", json=body, headers=world.owner)
        assert made.status_code == 200, made.text
        return "/api/mlpcore/account/acme/model/m/group"

    async def test_type_of_the_named_group_and_of_the_default(
        self, client: httpx.AsyncClient, publisher: World
    ) -> None:
        await create(client, publisher.owner, "acme", name="mine")
        path = await self.path(client, publisher, resourceGroup="mine")
        answer = await client.get(path, headers=publisher.owner)
        assert (answer.status_code, answer.json()) == (200, "HOSTING_SERVER")
        await client.post(
            "/api/mlpcore/account/acme/model/m", json={"modelName": "m", "resourceGroup": None}, headers=publisher.owner
        )
        assert (await client.get(path, headers=publisher.owner)).json() == "HOSTING_SERVER"

    async def test_only_callers_who_may_see_the_model(self, client: httpx.AsyncClient, publisher: World) -> None:
        path = await self.path(client, publisher)
        assert (await client.get(path)).status_code == 401
        assert (await client.get(path, headers=publisher.stranger)).status_code == 404
        await client.post(
            "/api/mlpcore/account/acme/model/m/public-settings", json={"isPublic": True}, headers=publisher.owner
        )
        assert (await client.get(path, headers=publisher.stranger)).json() == "HOSTING_SERVER"
