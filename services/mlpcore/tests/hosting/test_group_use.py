"""What owners see of the use of their resource groups."""

from datetime import timedelta

import httpx
import pytest

from mlplace_contracts.internal.hosting import Enrolled, ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import CAPACITY, AgentTwin, report
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"
GROUP = f"{ACCOUNT}/resource-groups/mine"
LIMITS = {"cpuRequest": "300m", "memoryLimit": "500Mi", "ephemeralDiskLimit": "1Gi"}


@pytest.fixture
async def server(client: httpx.AsyncClient, publisher: World) -> AgentTwin:
    """A server of acme's group `mine` whose agent reports."""
    made = await client.post(f"{ACCOUNT}/resource-groups", json={"name": "mine"}, headers=publisher.owner)
    assert made.status_code == 200, made.text
    body = {"serverName": "s1", "rawConfiguration": "provider: hosting_server\nmaxInstances: 7\n"}
    created = await client.post(f"{GROUP}/server", json=body, headers=publisher.owner)
    token = {"token": created.json()["enrolmentToken"]}
    answer = await client.post("/api/mlpcore/hosting-server/enroll", json=token)
    agent = AgentTwin(client, Enrolled.model_validate_json(answer.content))
    await agent.beat()
    return agent


async def read(client: httpx.AsyncClient, world: World, path: str, **query: object) -> object:
    answer = await client.get(f"{GROUP}/{path}", params={k: str(v) for k, v in query.items()}, headers=world.owner)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def start_in_group(client: httpx.AsyncClient, world: World, count: int) -> None:
    """Moves `acme/greeting` to the group and requests instances."""
    body = {"modelName": "greeting", "resourceGroup": "mine", "resourceLimits": LIMITS | {"gpuRequested": False}}
    changed = await client.post(f"{ACCOUNT}/model/greeting", json=body, headers=world.owner)
    assert changed.status_code == 200, changed.text
    started = await client.post(f"{ACCOUNT}/model/greeting/instances", json=count, headers=world.owner)
    assert started.status_code == 200, started.text


class TestCapacity:
    async def test_group_without_use_has_all_its_capacity_free(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin
    ) -> None:
        shown = await read(client, publisher, "capacity")
        assert isinstance(shown, dict)
        amounts = {"milliCpu": CAPACITY.milli_cpu, "ramMb": CAPACITY.ram_mb, "diskMb": CAPACITY.disk_mb}
        assert {name: shown[name] for name in amounts} == amounts
        assert (shown["gpu"], shown["gpuModels"], shown["vramMb"], shown["vRamMb"]) == (0, [], 0, 0)
        assert shown["nodes"] == ["s1"]
        assert shown["free"] == amounts | {"gpu": 0, "vramMb": 0}

    async def test_instances_take_their_needs_until_they_have_left(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, server: AgentTwin
    ) -> None:
        await start_in_group(client, publisher, 2)
        shown = await read(client, publisher, "capacity")
        assert isinstance(shown, dict)
        assert shown["allocated"] == {"milliCpu": 600, "ramMb": 1000, "diskMb": 2048, "gpu": 0, "vramMb": 0}
        (row,) = shown["servers"]
        assert (row["name"], row["status"], row["instances"], row["maxInstances"]) == ("s1", "RUNNING", 2, 7)
        assert row["allocated"]["milliCpu"] + shown["free"]["milliCpu"] == CAPACITY.milli_cpu
        await start_in_group(client, publisher, 0)
        there = await server.beat()
        await server.beat(*(report(number, ReportedPhase.EXITED) for number in there))
        after = await read(client, publisher, "capacity")
        assert isinstance(after, dict)
        assert (after["allocated"]["milliCpu"], after["allocated"]["ramMb"]) == (0, 0)

    async def test_each_server_says_which_images_it_can_run(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin
    ) -> None:
        for said, shown in (((None, ()), (True, [])), ((False, ("b/i:1", "a/i:1")), (False, ["a/i:1", "b/i:1"]))):
            server.runs_containers, server.programs = said
            await server.beat()
            answer = await read(client, publisher, "capacity")
            assert isinstance(answer, dict)
            (row,) = answer["servers"]
            assert (row["runsContainers"], row["programs"]) == shown

    async def test_silent_server_is_listed_and_does_not_count(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin, clock: ManualClock
    ) -> None:
        clock.advance(timedelta(seconds=31))
        shown = await read(client, publisher, "capacity")
        assert isinstance(shown, dict)
        assert (shown["milliCpu"], shown["nodes"], shown["free"]["ramMb"]) == (0, [], 0)
        assert [row["status"] for row in shown["servers"]] == ["UNAVAILABLE"]

    @pytest.mark.parametrize("path", ["capacity", "active-services", "all-services", "services", "services-info"])
    async def test_group_of_another_account_looks_like_a_missing_one(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin, path: str
    ) -> None:
        foreign = await client.get(
            f"/api/mlpcore/account/globex/resource-groups/mine/{path}", headers=publisher.stranger
        )
        missing = await client.get(
            f"/api/mlpcore/account/globex/resource-groups/none/{path}", headers=publisher.stranger
        )
        assert (foreign.status_code, foreign.json()["code"]) == (missing.status_code, missing.json()["code"])
        assert foreign.status_code == 404


class TestServices:
    async def test_services_of_the_group_with_their_states(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, server: AgentTwin
    ) -> None:
        assert await read(client, publisher, "all-services") == {"services": []}
        await start_in_group(client, publisher, 2)
        key = {"accountId": publisher.acme.account_id, "modelId": model_id}
        row = {"id": key, "name": "greeting", "state": "STARTING", "waitsForServer": False, "active": 0, "requested": 2}
        shown = await read(client, publisher, "all-services")
        assert isinstance(shown, dict)
        assert shown["services"][0].pop("start")["phase"] == "PREPARING"
        assert shown == {"services": [row]}
        assert await read(client, publisher, "active-services") == {"services": [{"id": key, "name": "greeting"}]}
        await start_in_group(client, publisher, 0)
        assert await read(client, publisher, "active-services") == {"services": []}

    async def test_services_at_a_time(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, server: AgentTwin, clock: ManualClock
    ) -> None:
        before = int(clock.now().timestamp() * 1000)
        clock.advance(timedelta(seconds=10))
        await server.beat()
        await start_in_group(client, publisher, 1)
        row = {"modelId": model_id, "modelNameAtTime": "greeting", "actualModelName": "greeting"}
        assert await read(client, publisher, "services-info") == [row]
        assert await read(client, publisher, "services") == ["greeting"]
        assert await read(client, publisher, "services-info", time=before) == []

    async def test_short_status_counts_servers_and_services(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, server: AgentTwin
    ) -> None:
        await start_in_group(client, publisher, 0)
        answer = await client.get(f"{ACCOUNT}/owned-resource-groups/short-status", headers=publisher.owner)
        (shown,) = answer.json()
        assert (shown["name"], shown["serversCount"], shown["servicesCount"]) == ("mine", 1, 1)
