"""Servers of an account never learn the address of another account's restricted image."""

from typing import Any

import httpx
import pytest

from mlplace_contracts.internal.hosting import Enrolled
from mlplace_testing.agents import AgentTwin
from mlplace_testing.world import World

ACME = "/api/mlpcore/account/acme"
GLOBEX = "/api/mlpcore/account/globex"
MODEL = f"{ACME}/model/greeting"
SERVER = {"serverName": "s1", "rawConfiguration": "provider: hosting_server\n"}


async def post(client: httpx.AsyncClient, path: str, body: object, headers: dict[str, str]) -> Any:
    answer = await client.post(path, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    return answer.json() if answer.content else None


async def server(
    client: httpx.AsyncClient, account: str, group: dict[str, object], headers: dict[str, str]
) -> AgentTwin:
    await post(client, f"{account}/resource-groups", group, headers)
    made = await post(client, f"{account}/resource-groups/{group['name']}/server", SERVER, headers)
    answer = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": made["enrolmentToken"]})
    twin = AgentTwin(client, Enrolled.model_validate_json(answer.content))
    await twin.beat()
    return twin


async def change(client: httpx.AsyncClient, world: World, **fields: object) -> None:
    await post(client, MODEL, {"modelName": "greeting", **fields}, world.owner)


async def image(
    client: httpx.AsyncClient, world: World, *, data: bool = False, own: bool = False, mode: str = "restricted"
) -> dict[str, object]:
    """Returns the fields of a model that uses a new image or data image."""
    account, headers = (ACME, world.owner) if own else (GLOBEX, world.stranger)
    body = {"name": "hidden", "image": "registry.example/hidden:1", "accessMode": mode}
    if not data:
        made = (await post(client, f"{account}/image", body, headers))["id"]
        return {"imageAccountId": made["accountId"], "imageId": made["imageId"]}
    made = (await post(client, f"{account}/data-image", {**body, "sourcePath": "/w"}, headers))["id"]
    mount = {"dataImageAccountId": made["accountId"], "dataImageId": made["imageId"], "targetPath": "/data"}
    return {"dataImageMounts": [mount]}


async def waiting(client: httpx.AsyncClient, world: World) -> Any:
    return (await client.get(f"{MODEL}/status", headers=world.owner)).json()["waiting"]


async def start(client: httpx.AsyncClient, world: World) -> None:
    await post(client, f"{MODEL}/instances", 1, world.owner)


@pytest.fixture
async def own(client: httpx.AsyncClient, publisher: World, model_id: int) -> AgentTwin:
    """A server of the model's account, in the group that the model chooses."""
    found = await server(client, ACME, {"name": "mine"}, publisher.owner)
    await change(client, publisher, resourceGroup="mine")
    return found


class TestOwnServers:
    @pytest.mark.parametrize("data", [False, True])
    async def test_another_accounts_restricted_image_waits_for_another_group(
        self, client: httpx.AsyncClient, publisher: World, own: AgentTwin, data: bool
    ) -> None:
        await change(client, publisher, **await image(client, publisher, data=data))
        await start(client, publisher)
        assert await own.beat() == {}
        assert await waiting(client, publisher) == {"reason": "RestrictedImage", "message": None, "details": None}

    @pytest.mark.parametrize("data", [False, True])
    async def test_an_image_that_becomes_restricted_after_placement_is_not_sent(
        self, client: httpx.AsyncClient, publisher: World, own: AgentTwin, data: bool
    ) -> None:
        await start(client, publisher)
        assert len(await own.beat()) == 1
        await change(client, publisher, **await image(client, publisher, data=data))
        assert await own.beat() == {}

    @pytest.mark.parametrize(("mine", "mode"), [(True, "restricted"), (False, "public")])
    async def test_images_that_the_account_may_see_run(
        self, client: httpx.AsyncClient, publisher: World, own: AgentTwin, mine: bool, mode: str
    ) -> None:
        await change(client, publisher, **await image(client, publisher, own=mine, mode=mode))
        await start(client, publisher)
        (wanted,) = (await own.beat()).values()
        assert (wanted.image, wanted.address_hidden) == ("registry.example/hidden:1", False)


class TestOtherServers:
    @pytest.mark.parametrize("data", [False, True])
    async def test_a_server_of_the_platform_hides_the_address_from_the_account(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, data: bool
    ) -> None:
        await change(client, publisher, **await image(client, publisher, data=data))
        await start(client, publisher)
        (wanted,) = (await agent.beat()).values()
        told = wanted.data_mounts[0] if data else wanted
        assert (told.image, told.address_hidden) == ("registry.example/hidden:1", True)

    async def test_a_server_of_the_images_owner_runs_it(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        theirs = await server(client, GLOBEX, {"name": "open", "access": "PUBLIC"}, publisher.admin)
        await change(client, publisher, resourceGroup="open", **await image(client, publisher))
        await start(client, publisher)
        (wanted,) = (await theirs.beat()).values()
        assert wanted.address_hidden
