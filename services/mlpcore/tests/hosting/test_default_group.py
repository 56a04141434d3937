"""One group of an account at most is where its services run that name none."""

import asyncio

import httpx
import pytest

from mlplace_testing.agents import AgentTwin
from mlplace_testing.world import World

from .test_hosting import scale

GROUPS = "/api/mlpcore/account/acme/resource-groups"
OWNED = "/api/mlpcore/account/acme/owned-resource-groups"
MANY = 8


async def make(client: httpx.AsyncClient, world: World, name: str, **fields: object) -> None:
    answer = await client.post(GROUPS, json={"name": name, **fields}, headers=world.owner)
    assert answer.status_code == 200, answer.text


async def defaults(client: httpx.AsyncClient, world: World) -> list[str]:
    return [group["name"] for group in (await client.get(OWNED, headers=world.owner)).json() if group["isDefault"]]


class TestDefaultGroup:
    async def test_another_one_takes_the_place_of_the_first(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world, "first", isDefault=True)
        await make(client, world, "second", isDefault=True)
        assert await defaults(client, world) == ["second"]
        assert (await client.post(f"{GROUPS}/first", json={"isDefault": True}, headers=world.owner)).status_code == 200
        assert await defaults(client, world) == ["first"]

    async def test_is_not_that_of_another_account(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world, "mine", isDefault=True)
        theirs = {"name": "theirs", "isDefault": True}
        answer = await client.post("/api/mlpcore/account/globex/resource-groups", json=theirs, headers=world.stranger)
        assert answer.status_code == 200
        assert await defaults(client, world) == ["mine"]

    async def test_can_be_none(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world, "first", isDefault=True)
        assert (await client.post(f"{GROUPS}/first", json={"isDefault": False}, headers=world.owner)).status_code == 200
        assert await defaults(client, world) == []

    async def test_can_be_renamed_in_the_request_that_chooses_it(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world, "first", isDefault=True)
        await make(client, world, "second")
        body = {"name": "better", "isDefault": True}
        assert (await client.post(f"{GROUPS}/second", json=body, headers=world.owner)).status_code == 200
        assert await defaults(client, world) == ["better"]

    async def test_stays_when_the_new_one_asks_for_a_name_that_is_taken(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        await make(client, world, "first", isDefault=True)
        await make(client, world, "second")
        body = {"name": "first", "isDefault": True}
        answer = await client.post(f"{GROUPS}/second", json=body, headers=world.owner)
        assert (answer.status_code, answer.json()["code"]) == (409, "mlp.core.name_already_exists")
        assert await defaults(client, world) == ["first"]

    @pytest.mark.usefixtures("publisher", "model_id")
    async def test_is_where_a_service_without_a_group_runs(
        self, client: httpx.AsyncClient, world: World, agent: AgentTwin
    ) -> None:
        """The agent's server is in the platform's."""
        await make(client, world, "empty", isDefault=True)
        await scale(client, world, 1)
        assert await agent.beat() == {}
        assert (await client.delete(f"{GROUPS}/empty", headers=world.owner)).status_code == 200
        await scale(client, world, 2)
        assert len(await agent.beat()) == 2


class TestAtOnce:
    async def test_of_many_that_are_chosen_one_is_left(self, client: httpx.AsyncClient, world: World) -> None:
        names = [f"group-{number}" for number in range(MANY)]
        for name in names:
            await make(client, world, name)
        for _ in range(3):
            answers = await asyncio.gather(
                *(client.post(f"{GROUPS}/{name}", json={"isDefault": True}, headers=world.owner) for name in names)
            )
            assert [answer.status_code for answer in answers] == [200] * MANY
            assert len(await defaults(client, world)) == 1

    async def test_of_many_that_are_made_one_is_left(self, client: httpx.AsyncClient, world: World) -> None:
        names = [f"group-{number}" for number in range(MANY)]
        await asyncio.gather(*(make(client, world, name, isDefault=True) for name in names))
        assert len(await defaults(client, world)) == 1

    async def test_of_many_renamed_and_chosen_each_has_a_name_of_its_own(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        names = [f"group-{number}" for number in range(MANY)]
        for name in names:
            await make(client, world, name)
        body = {"name": "wanted", "isDefault": True}
        answers = await asyncio.gather(
            *(client.post(f"{GROUPS}/{name}", json=body, headers=world.owner) for name in names)
        )
        assert sorted(answer.status_code for answer in answers) == [200] + [409] * (MANY - 1)
        assert await defaults(client, world) == ["wanted"]
