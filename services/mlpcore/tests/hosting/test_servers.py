import asyncio
from datetime import timedelta

import httpx
import pytest

from mlplace_contracts.internal.hosting import Enrolled
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin
from mlplace_testing.world import World

CORE = "/api/mlpcore"
ACCOUNT = f"{CORE}/account/acme"
GROUPS = f"{ACCOUNT}/resource-groups"
ENROL = f"{CORE}/hosting-server/enroll"
SERVER = {"serverName": "s1", "rawConfiguration": "provider: hosting_server\nlabels: {zone: a}\n"}


@pytest.fixture
async def group(client: httpx.AsyncClient, world: World) -> str:
    answer = await client.post(GROUPS, json={"name": "mine"}, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return f"{GROUPS}/mine"


class TestGroups:
    async def test_every_account_can_deploy_to_the_default_group(self, client: httpx.AsyncClient, world: World) -> None:
        found = (await client.get(f"{ACCOUNT}/deployable-resource-groups", headers=world.owner)).json()
        assert [(g["name"], g["ownerId"], g["access"]) for g in found] == [("default", 1, "PUBLIC")]
        assert (await client.get(f"{ACCOUNT}/owned-resource-groups", headers=world.owner)).json() == []

    async def test_owner_creates_changes_and_deletes_a_group(
        self, client: httpx.AsyncClient, world: World, group: str
    ) -> None:
        body = {"isDefault": True, "deploymentName": "d", "price": 1.5}
        assert (await client.post(group, json=body, headers=world.owner)).status_code == 200
        found = (await client.get(group, headers=world.owner)).json()
        assert (found["isDefault"], found["deploymentName"], found["price"]) == (True, "d", 1.5)
        assert (await client.delete(group, headers=world.owner)).status_code == 200
        assert (await client.get(group, headers=world.owner)).status_code == 404

    async def test_duplicate_name_in_an_account_is_refused(
        self, client: httpx.AsyncClient, world: World, group: str
    ) -> None:
        answer = await client.post(GROUPS, json={"name": "mine"}, headers=world.owner)
        assert (answer.status_code, answer.json()["code"]) == (409, "mlp.core.name_already_exists")

    @pytest.mark.parametrize(
        "change",
        [
            {"name": "a/b"},
            {"name": ""},
            {"name": "x\0"},
            {"unknown": 1},
            {"price": -1},
            {"resourceGroupType": "DOCKER"},
        ],
    )
    async def test_invalid_group_is_refused(
        self, client: httpx.AsyncClient, world: World, change: dict[str, object]
    ) -> None:
        answer = await client.post(GROUPS, json={"name": "good", **change}, headers=world.owner)
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.validation_error")

    async def test_only_an_administrator_may_create_a_public_group(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        body = {"name": "open", "access": "PUBLIC"}
        assert (await client.post(GROUPS, json=body, headers=world.owner)).status_code == 403
        assert (await client.post(GROUPS, json=body, headers=world.admin)).status_code == 200

    async def test_account_has_one_public_group(self, client: httpx.AsyncClient, world: World, group: str) -> None:
        await client.post(GROUPS, json={"name": "other"}, headers=world.owner)
        opened = await asyncio.gather(
            *(
                client.post(GROUPS, json={"name": f"open{n}", "access": "PUBLIC"}, headers=world.admin)
                for n in range(3)
            ),
            *(client.post(f"{GROUPS}/{n}", json={"access": "PUBLIC"}, headers=world.admin) for n in ("mine", "other")),
        )
        assert sorted(answer.status_code for answer in opened) == [200, 409, 409, 409, 409]
        owned = (await client.get(f"{ACCOUNT}/owned-resource-groups", headers=world.owner)).json()
        (public,) = [found["name"] for found in owned if found["access"] == "PUBLIC"]
        refused = next(answer.json() for answer in opened if answer.status_code == 409)
        assert (refused["code"], refused["args"]) == ("mlp.core.public_group_exists", {"name": public})
        again = await client.post(f"{GROUPS}/{public}", json={"access": "PUBLIC"}, headers=world.admin)
        assert again.status_code == 200
        closed = await client.post(f"{GROUPS}/{public}", json={"access": "PRIVATE"}, headers=world.owner)
        assert closed.status_code == 200
        new = await client.post(GROUPS, json={"name": "new", "access": "PUBLIC"}, headers=world.admin)
        assert new.status_code == 200

    async def test_group_with_servers_cannot_be_deleted(
        self, client: httpx.AsyncClient, world: World, group: str
    ) -> None:
        await client.post(f"{group}/server", json=SERVER, headers=world.owner)
        answer = await client.delete(group, headers=world.owner)
        assert (answer.status_code, answer.json()["code"]) == (409, "mlp.core.in_use")


class TestPlatformGroup:
    GROUP = f"{CORE}/account/1/resource-groups/default"

    async def test_superadmin_adds_reads_and_deletes_a_server(self, client: httpx.AsyncClient, world: World) -> None:
        made = await client.post(f"{self.GROUP}/server", json=SERVER, headers=world.admin)
        assert made.status_code == 200, made.text
        enrolled = await client.post(ENROL, json={"token": made.json()["enrolmentToken"]})
        assert enrolled.status_code == 200, enrolled.text
        shown = (await client.get(f"{self.GROUP}/server/status", headers=world.admin)).json()
        assert [server["name"] for server in shown] == ["s1"]
        assert (await client.get(self.GROUP, headers=world.admin)).json()["ownerId"] == 1
        assert (await client.get(f"{self.GROUP}/capacity", headers=world.admin)).status_code == 200
        number = made.json()["id"]
        assert (await client.delete(f"{self.GROUP}/server/{number}", headers=world.admin)).status_code == 200

    @pytest.mark.parametrize("path", ["", "/server", "/capacity"])
    async def test_nobody_else_sees_it(self, client: httpx.AsyncClient, world: World, path: str) -> None:
        seen = await client.get(f"{self.GROUP}{path}", headers=world.owner)
        missing = await client.get(f"{CORE}/account/77/resource-groups/default{path}", headers=world.owner)
        assert (
            (seen.status_code, seen.json()["code"])
            == (missing.status_code, missing.json()["code"])
            == (403, "account.access.denied")
        )
        assert (await client.get(f"{self.GROUP}{path}")).status_code == 401

    async def test_nobody_else_adds_a_server(self, client: httpx.AsyncClient, world: World) -> None:
        for credentials in (world.owner, world.stranger):
            answer = await client.post(f"{self.GROUP}/server", json=SERVER, headers=credentials)
            assert (answer.status_code, answer.json()["code"]) == (403, "account.access.denied")

    async def test_group_itself_is_changed_by_the_routes_of_administrators_only(
        self, client: httpx.AsyncClient, world: World
    ) -> None:
        assert (await client.delete(self.GROUP, headers=world.admin)).status_code == 403
        assert (await client.post(self.GROUP, json={"price": 2}, headers=world.admin)).status_code == 403


class TestAccess:
    @pytest.mark.parametrize(
        ("method", "path", "body"),
        [
            ("POST", GROUPS, {"name": "g"}),
            ("POST", f"{GROUPS}/g", {}),
            ("DELETE", f"{GROUPS}/g", None),
            ("GET", f"{GROUPS}/g/server", None),
            ("POST", f"{GROUPS}/g/server", SERVER),
            ("GET", f"{GROUPS}/g/server/1", None),
            ("GET", f"{GROUPS}/g/server/1/status", None),
            ("DELETE", f"{GROUPS}/g/server/1", None),
        ],
    )
    async def test_only_developers_of_the_account_have_access(
        self, client: httpx.AsyncClient, world: World, method: str, path: str, body: object
    ) -> None:
        async def status(headers: dict[str, str]) -> int:
            return (await client.request(method, path, json=body, headers=headers)).status_code

        assert (await status({}), await status(world.user), await status(world.stranger)) == (401, 403, 403)


class TestServer:
    async def test_only_the_creation_shows_the_token(self, client: httpx.AsyncClient, world: World, group: str) -> None:
        made = (await client.post(f"{group}/server", json=SERVER, headers=world.owner)).json()
        assert made["enrolmentToken"]
        shown = (await client.get(f"{group}/server/{made['id']}", headers=world.owner)).json()
        assert "enrolmentToken" not in shown
        assert (shown["name"], shown["rawConfiguration"]) == ("s1", SERVER["rawConfiguration"])
        listed = (await client.get(f"{group}/server", headers=world.owner)).json()
        assert [server["id"] for server in listed] == [made["id"]]

    async def test_invalid_configuration_is_refused_by_field(
        self, client: httpx.AsyncClient, world: World, group: str
    ) -> None:
        answer = await client.post(
            f"{group}/server", json={**SERVER, "rawConfiguration": "provider: x"}, headers=world.owner
        )
        assert answer.status_code == 400
        assert "rawConfiguration.provider" in answer.json()["args"]

    async def test_status_follows_the_heartbeats(
        self, client: httpx.AsyncClient, world: World, group: str, clock: ManualClock
    ) -> None:
        made = (await client.post(f"{group}/server", json=SERVER, headers=world.owner)).json()

        async def status() -> str:
            answer = await client.get(f"{group}/server/{made['id']}/status", headers=world.owner)
            return str(answer.json()["status"])

        assert await status() == "STARTING"
        enrolled = (await client.post(ENROL, json={"token": made["enrolmentToken"]})).json()
        agent = AgentTwin(client, Enrolled.model_validate(enrolled))
        await agent.beat()
        assert await status() == "RUNNING"
        clock.advance(timedelta(seconds=31))
        assert await status() == "UNAVAILABLE"
        found = (await client.get(f"{group}/server/status", headers=world.owner)).json()
        assert found[0]["resources"]["cpu"] == "2000m"

    async def test_agent_of_a_deleted_server_is_refused(
        self, client: httpx.AsyncClient, world: World, group: str
    ) -> None:
        made = (await client.post(f"{group}/server", json=SERVER, headers=world.owner)).json()
        enrolled = Enrolled.model_validate((await client.post(ENROL, json={"token": made["enrolmentToken"]})).json())
        assert (await client.delete(f"{group}/server/{made['id']}", headers=world.owner)).status_code == 200
        assert (await AgentTwin(client, enrolled).post("{}")).status_code == 401


class TestEnrolment:
    async def test_concurrent_enrolments_with_one_token_succeed_once(
        self, client: httpx.AsyncClient, world: World, group: str
    ) -> None:
        made = (await client.post(f"{group}/server", json=SERVER, headers=world.owner)).json()
        body = {"token": made["enrolmentToken"]}
        answers = await asyncio.gather(*(client.post(ENROL, json=body) for _ in range(6)))
        assert sorted(answer.status_code for answer in answers) == [200, 401, 401, 401, 401, 401]

    async def test_token_expires_after_a_day(
        self, client: httpx.AsyncClient, world: World, group: str, clock: ManualClock
    ) -> None:
        made = (await client.post(f"{group}/server", json=SERVER, headers=world.owner)).json()
        clock.advance(timedelta(hours=24, seconds=1))
        answer = await client.post(ENROL, json={"token": made["enrolmentToken"]})
        assert (answer.status_code, answer.json()["code"]) == (401, "mlp.core.enrolment_refused")

    @pytest.mark.parametrize(("body", "status"), [({"token": ""}, 401), ({"token": "a\0"}, 400), ({}, 400)])
    async def test_invalid_token_is_refused(self, client: httpx.AsyncClient, body: object, status: int) -> None:
        assert (await client.post(ENROL, json=body)).status_code == status

    async def test_repeated_bootstrap_returns_the_same_server(
        self, client: httpx.AsyncClient, world: World, agent: AgentTwin
    ) -> None:
        path = "/internal/mlpcore/bootstrap/server"
        body: dict[str, object] = {"groupName": "default", "serverName": "local"}
        again = (await client.post(path, json=body, headers=world.internal)).json()
        assert (again["serverId"], again["enrolmentToken"]) == (agent.enrolled.server_id, None)
        anew = (await client.post(path, json={**body, "reissue": True}, headers=world.internal)).json()
        await agent.beat()
        fresh = (await client.post(ENROL, json={"token": anew["enrolmentToken"]})).json()
        assert fresh["server_id"] == agent.enrolled.server_id
        assert (await agent.post("{}")).status_code == 401
        assert (await client.post(path, json=body)).status_code == 401
