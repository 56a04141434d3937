"""A model keeps the group that its owner named, even if another group gets this name later."""

import asyncio

import httpx
import pytest
import sqlalchemy as sa

from mlplace_runtime.db.database import Database
from mlplace_testing.agents import AgentTwin
from mlplace_testing.world import World

from .test_hosting import MODEL, read, rows, scale

ACME, GLOBEX = "/api/mlpcore/account/acme", "/api/mlpcore/account/globex"
GROUPS = f"{ACME}/resource-groups"
NOT_FOUND = {"resourceGroup": "not found"}

pytestmark = pytest.mark.usefixtures("publisher", "model_id")


async def make(client: httpx.AsyncClient, headers: dict[str, str], name: str, **fields: object) -> None:
    answer = await client.post(GROUPS, json={"name": name, **fields}, headers=headers)
    assert answer.status_code == 200, answer.text


async def choose(client: httpx.AsyncClient, world: World, group: str | None, *, of: str = MODEL) -> httpx.Response:
    body = {"modelName": of.rpartition("/")[2], "resourceGroup": group}
    return await client.post(of, json=body, headers=world.owner)


async def chosen(client: httpx.AsyncClient, world: World, group: str | None) -> None:
    answer = await choose(client, world, group)
    assert answer.status_code == 200, answer.text


async def shown(client: httpx.AsyncClient, world: World) -> object:
    return (await client.get(MODEL, headers=world.owner)).json()["resourceGroup"]


async def waiting_reason(client: httpx.AsyncClient, world: World) -> object:
    (row,) = await rows(client, world)
    state = await read(client, world, int(str(row["id"])), "laststate")
    return state["waiting"]["reason"] if state["waiting"] else None  # type: ignore[index]


class TestShadowedName:
    async def test_a_new_group_of_this_name_changes_nothing(
        self, client: httpx.AsyncClient, world: World, agent: AgentTwin
    ) -> None:
        """The agent's server is in the platform's group `default`."""
        await chosen(client, world, "default")
        await make(client, world.owner, "default")
        assert await shown(client, world) == "default"
        await scale(client, world, 1)
        assert len(await agent.beat()) == 1

    async def test_a_group_renamed_to_this_name_changes_nothing(
        self, client: httpx.AsyncClient, world: World, agent: AgentTwin
    ) -> None:
        await chosen(client, world, "default")
        await make(client, world.owner, "mine")
        answer = await client.post(f"{GROUPS}/mine", json={"name": "default"}, headers=world.owner)
        assert answer.status_code == 200
        await scale(client, world, 1)
        assert len(await agent.beat()) == 1

    async def test_sending_the_name_again_keeps_the_group(
        self, client: httpx.AsyncClient, world: World, agent: AgentTwin
    ) -> None:
        await chosen(client, world, "default")
        await make(client, world.owner, "default")
        await chosen(client, world, "default")
        await scale(client, world, 1)
        assert len(await agent.beat()) == 1

    async def test_means_the_accounts_own_group_for_a_model_without_a_group(
        self, client: httpx.AsyncClient, world: World, agent: AgentTwin
    ) -> None:
        await chosen(client, world, "default")
        await make(client, world.owner, "default")
        await chosen(client, world, None)
        await chosen(client, world, "default")
        await scale(client, world, 1)
        assert await agent.beat() == {}

    async def test_a_clone_keeps_the_group(self, client: httpx.AsyncClient, world: World, agent: AgentTwin) -> None:
        await chosen(client, world, "default")
        await make(client, world.owner, "default")
        copied = await client.post(f"{MODEL}/clone", params={"name": "copy"}, headers=world.owner)
        assert copied.status_code == 200, copied.text
        answer = await client.post(f"{ACME}/model/copy/instances", json=1, headers=world.owner)
        assert answer.status_code == 200, answer.text
        assert len(await agent.beat()) == 1


class TestGroupInUse:
    async def test_a_group_that_a_foreign_model_uses_cannot_be_deleted_or_renamed(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        theirs = f"{GLOBEX}/resource-groups"
        made = await client.post(theirs, json={"name": "open", "access": "PUBLIC"}, headers=world.admin)
        assert made.status_code == 200, made.text
        await chosen(client, world, "open")
        for answer in (
            await client.delete(f"{theirs}/open", headers=world.stranger),
            await client.post(f"{theirs}/open", json={"name": "other"}, headers=world.stranger),
        ):
            assert (answer.status_code, answer.json()["code"]) == (409, "mlp.core.in_use")
        assert await shown(client, world) == "open"

    @pytest.mark.parametrize("end", ["moved", "deleted"])
    async def test_can_be_deleted_after_its_models_have_left(
        self, client: httpx.AsyncClient, world: World, end: str
    ) -> None:
        await make(client, world.owner, "mine")
        await chosen(client, world, "mine")
        answer = await client.delete(f"{GROUPS}/mine", headers=world.owner)
        assert (answer.status_code, answer.json()["code"]) == (409, "mlp.core.in_use")
        if end == "moved":
            await chosen(client, world, "default")
        else:
            assert (await client.delete(MODEL, headers=world.owner)).status_code == 200
        assert (await client.delete(f"{GROUPS}/mine", headers=world.owner)).status_code == 200

    async def test_can_be_deleted_when_a_model_uses_another_group_of_this_name(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        await chosen(client, world, "default")
        await make(client, world.owner, "default")
        assert (await client.delete(f"{GROUPS}/default", headers=world.owner)).status_code == 200
        assert await shown(client, world) == "default"

    @pytest.mark.parametrize("end", ["deleted", "renamed"])
    async def test_either_its_end_or_a_concurrent_choice_succeeds(
        self, client: httpx.AsyncClient, world: World, end: str
    ) -> None:
        for number in range(10):
            name = f"group-{number}"
            await make(client, world.owner, name)
            path = f"{GROUPS}/{name}"
            ending = (
                client.delete(path, headers=world.owner)
                if end == "deleted"
                else client.post(path, json={"name": f"other-{number}"}, headers=world.owner)
            )
            ended, asked = await asyncio.gather(ending, choose(client, world, name))
            assert (ended.status_code, asked.status_code) in {(200, 400), (409, 200)}
            assert asked.status_code == 200 or asked.json()["args"] == NOT_FOUND
            await chosen(client, world, None)


class TestReserveGroup:
    FIELD = "autoScalingConfiguration.reserveResourceGroupName"

    async def reserve(self, client: httpx.AsyncClient, world: World, name: str | None) -> httpx.Response:
        scaling = {"minServersCount": 0, "reserveResourceGroupName": name}
        return await client.post(f"{GROUPS}/mine", json={"autoScalingConfiguration": scaling}, headers=world.owner)

    async def owner_of_reserve(self, database: Database) -> int | None:
        statement = sa.text(
            "SELECT reserve.account_id FROM resource_group AS mine"
            " LEFT JOIN resource_group AS reserve ON reserve.group_id = mine.reserve_group_id WHERE mine.name = 'mine'"
        )
        async with database.transaction() as session:
            return (await session.execute(statement)).scalar_one()

    async def test_keeps_meaning_the_group_named_first(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await make(client, world.owner, "mine")
        assert (await self.reserve(client, world, "default")).status_code == 200
        await make(client, world.owner, "default")
        assert (await self.reserve(client, world, "default")).status_code == 200
        assert await self.owner_of_reserve(database) == 1
        assert (await self.reserve(client, world, None)).status_code == 200
        assert (await self.reserve(client, world, "default")).status_code == 200
        assert await self.owner_of_reserve(database) == world.acme.account_id
        shown = (await client.get(f"{GROUPS}/mine", headers=world.owner)).json()["autoScalingConfiguration"]
        assert shown["reserveResourceGroupName"] == "default"

    async def test_cannot_be_deleted_or_renamed(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world.owner, "spare")
        scaling = {"minServersCount": 0, "reserveResourceGroupName": "spare"}
        await make(client, world.owner, "mine", autoScalingConfiguration=scaling)
        for answer in (
            await client.delete(f"{GROUPS}/spare", headers=world.owner),
            await client.post(f"{GROUPS}/spare", json={"name": "other"}, headers=world.owner),
        ):
            assert (answer.status_code, answer.json()["code"]) == (409, "mlp.core.in_use")
        assert (await client.delete(f"{GROUPS}/mine", headers=world.owner)).status_code == 200
        assert (await client.delete(f"{GROUPS}/spare", headers=world.owner)).status_code == 200

    async def test_another_accounts_private_group_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        await make(client, world.owner, "mine")
        made = await client.post(f"{GLOBEX}/resource-groups", json={"name": "hidden"}, headers=world.stranger)
        assert made.status_code == 200
        refused = {self.FIELD: "no other group of this name"}
        for name in ("hidden", "nothing", "mine"):
            answer = await self.reserve(client, world, name)
            assert (answer.status_code, answer.json()["args"]) == (400, refused)

    async def test_follows_the_name_that_the_previous_release_writes(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await make(client, world.owner, "mine")
        for name, owner in (("default", 1), ("mine", None), ("default", 1), ("nothing", None)):
            async with database.transaction() as session:
                written = "jsonb_build_object('minServersCount', 0, 'reserveResourceGroupName', CAST(:name AS text))"
                statement = f"UPDATE resource_group SET auto_scaling_configuration = {written} WHERE name = 'mine'"
                await session.execute(sa.text(statement), {"name": name})
            assert await self.owner_of_reserve(database) == owner


class TestForeignGroup:
    async def test_looks_missing(self, client: httpx.AsyncClient, world: World) -> None:
        secret = {"name": "secret-servers"}
        made = await client.post(f"{GLOBEX}/resource-groups", json=secret, headers=world.stranger)
        assert made.status_code == 200
        foreign, missing = [await choose(client, world, name) for name in ("secret-servers", "no-servers")]
        assert (foreign.status_code, foreign.json()["args"]) == (400, NOT_FOUND)
        assert _told(foreign) == _told(missing)
        for method, end, body in (
            ("GET", "", None),
            ("POST", "", {"isDefault": True}),
            ("DELETE", "", None),
            ("GET", "/server", None),
            ("GET", "/server/1", None),
        ):
            answers = [
                await client.request(method, f"{GROUPS}/{name}{end}", json=body, headers=world.owner)
                for name in ("secret-servers", "no-servers")
            ]
            assert answers[0].status_code == 404
            assert _told(answers[0]) == _told(answers[1])

    async def test_the_api_neither_accepts_nor_shows_its_id(self, client: httpx.AsyncClient, world: World) -> None:
        body = {"modelName": "greeting", "resourceGroupId": 1}
        assert (await client.post(MODEL, json=body, headers=world.owner)).status_code == 400
        assert "resourceGroupId" not in (await client.get(MODEL, headers=world.owner)).json()

    async def test_accepts_no_new_instances_after_it_became_private(
        self, client: httpx.AsyncClient, world: World, agent: AgentTwin
    ) -> None:
        theirs = f"{GLOBEX}/resource-groups"
        await client.post(theirs, json={"name": "open", "access": "PUBLIC"}, headers=world.admin)
        await chosen(client, world, "open")
        answer = await client.post(f"{theirs}/open", json={"access": "PRIVATE"}, headers=world.stranger)
        assert answer.status_code == 200
        await scale(client, world, 1)
        assert await waiting_reason(client, world) == "NoResourceGroup"
        assert (await choose(client, world, "open")).json()["args"] == NOT_FOUND


class TestBesideThePreviousRelease:
    """The tests write what a process of the previous release would write: groups by name."""

    async def write(self, database: Database, **values: object) -> None:
        assignments = ", ".join(f"{name} = :{name}" for name in values)
        async with database.transaction() as session:
            await session.execute(sa.text(f"UPDATE model SET {assignments} WHERE name = 'greeting'"), values)

    async def read(self, database: Database) -> tuple[str | None, str | None]:
        """Returns the name that the previous release reads, and the name of the group with the stored id."""
        statement = sa.text(
            "SELECT model.resource_group, resource_group.name FROM model"
            " LEFT JOIN resource_group ON group_id = resource_group_id WHERE model.name = 'greeting'"
        )
        async with database.transaction() as session:
            row = (await session.execute(statement)).one()
            return row[0], row[1]

    async def test_a_written_name_becomes_a_reference(
        self, client: httpx.AsyncClient, world: World, database: Database, agent: AgentTwin
    ) -> None:
        await make(client, world.owner, "mine")
        await self.write(database, resource_group="mine")
        assert await self.read(database) == ("mine", "mine")
        await self.write(database, resource_group="default")
        await make(client, world.owner, "default")
        await scale(client, world, 1)
        assert len(await agent.beat()) == 1
        await self.write(database, resource_group=None)
        assert await self.read(database) == (None, None)

    async def test_a_reference_is_readable_as_a_name(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await make(client, world.owner, "mine")
        for name in ("mine", "default", None):
            await chosen(client, world, name)
            assert await self.read(database) == (name, name)

    async def test_changing_another_column_keeps_the_reference(
        self, client: httpx.AsyncClient, world: World, database: Database, agent: AgentTwin
    ) -> None:
        await chosen(client, world, "default")
        await make(client, world.owner, "default")
        await self.write(database, resource_group="default", version=7)
        await scale(client, world, 1)
        assert len(await agent.beat()) == 1

    async def test_a_model_it_deletes_no_longer_uses_its_group(
        self, client: httpx.AsyncClient, world: World, database: Database
    ) -> None:
        await make(client, world.owner, "mine")
        await chosen(client, world, "mine")
        async with database.transaction() as session:
            await session.execute(sa.text("UPDATE model SET deleted_at = now() WHERE name = 'greeting'"))
        assert (await client.delete(f"{GROUPS}/mine", headers=world.owner)).status_code == 200

    async def test_a_model_with_an_unknown_name_waits_for_a_choice(
        self, client: httpx.AsyncClient, world: World, database: Database, agent: AgentTwin
    ) -> None:
        await self.write(database, resource_group="ghost")
        await make(client, world.owner, "ghost")
        assert await shown(client, world) == "ghost"
        await scale(client, world, 1)
        assert await waiting_reason(client, world) == "NoResourceGroup"
        await chosen(client, world, None)
        assert await shown(client, world) is None
        await scale(client, world, 2)
        assert len(await agent.beat()) == 2


def _told(answer: httpx.Response) -> dict[str, object]:
    """Returns the answer without the fields that differ between any two answers."""
    return {name: value for name, value in answer.json().items() if name not in {"traceId", "requestId", "timestamp"}}
