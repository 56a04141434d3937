"""An account has at most one default group. Models that name no group run in it."""

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
    async def test_a_new_default_replaces_the_previous_one(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world, "first", isDefault=True)
        await make(client, world, "second", isDefault=True)
        assert await defaults(client, world) == ["second"]
        assert (await client.post(f"{GROUPS}/first", json={"isDefault": True}, headers=world.owner)).status_code == 200
        assert await defaults(client, world) == ["first"]

    async def test_another_accounts_default_changes_nothing(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world, "mine", isDefault=True)
        theirs = {"name": "theirs", "isDefault": True}
        answer = await client.post("/api/mlpcore/account/globex/resource-groups", json=theirs, headers=world.stranger)
        assert answer.status_code == 200
        assert await defaults(client, world) == ["mine"]

    async def test_the_only_default_can_be_unset(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world, "first", isDefault=True)
        assert (await client.post(f"{GROUPS}/first", json={"isDefault": False}, headers=world.owner)).status_code == 200
        assert await defaults(client, world) == []

    async def test_one_request_renames_a_group_and_makes_it_the_default(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        await make(client, world, "first", isDefault=True)
        await make(client, world, "second")
        body = {"name": "better", "isDefault": True}
        assert (await client.post(f"{GROUPS}/second", json=body, headers=world.owner)).status_code == 200
        assert await defaults(client, world) == ["better"]

    async def test_a_refused_rename_keeps_the_previous_default(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world, "first", isDefault=True)
        await make(client, world, "second")
        body = {"name": "first", "isDefault": True}
        answer = await client.post(f"{GROUPS}/second", json=body, headers=world.owner)
        assert (answer.status_code, answer.json()["code"]) == (409, "mlp.core.name_already_exists")
        assert await defaults(client, world) == ["first"]

    @pytest.mark.usefixtures("publisher", "model_id")
    async def test_a_model_without_a_group_runs_in_it(
        self, client: httpx.AsyncClient, world: World, agent: AgentTwin
    ) -> None:
        """The agent's server is in the platform's default group."""
        await make(client, world, "empty", isDefault=True)
        await scale(client, world, 1)
        assert await agent.beat() == {}
        assert (await client.delete(f"{GROUPS}/empty", headers=world.owner)).status_code == 200
        await scale(client, world, 2)
        assert len(await agent.beat()) == 2


class TestConcurrentRequests:
    async def test_concurrent_choices_leave_one_default(self, client: httpx.AsyncClient, world: World) -> None:
        names = [f"group-{number}" for number in range(MANY)]
        for name in names:
            await make(client, world, name)
        for _ in range(3):
            answers = await asyncio.gather(
                *(client.post(f"{GROUPS}/{name}", json={"isDefault": True}, headers=world.owner) for name in names)
            )
            assert [answer.status_code for answer in answers] == [200] * MANY
            assert len(await defaults(client, world)) == 1

    async def test_concurrent_creations_leave_one_default(self, client: httpx.AsyncClient, world: World) -> None:
        names = [f"group-{number}" for number in range(MANY)]
        await asyncio.gather(*(make(client, world, name, isDefault=True) for name in names))
        assert len(await defaults(client, world)) == 1

    async def test_one_of_concurrent_renames_to_the_same_name_succeeds(
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
