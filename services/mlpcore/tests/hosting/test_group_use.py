"""What owners see of the use of their resource groups."""

from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.servers.tables import Server
from mlplace_contracts.internal.hosting import Enrolled, ReportedGpu, ReportedPhase, ServerCapacity
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import CAPACITY, AgentTwin, report
from mlplace_testing.statements import Statements
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


GPUS = (
    ReportedGpu(gpu_id="GPU-1", model="L4", vram_mb=24_000, used_vram_mb=9000, usage_percent=70),
    ReportedGpu(gpu_id="GPU-2", model="L4", vram_mb=24_000, used_vram_mb=0, usage_percent=15),
)
MEASURED = ServerCapacity(
    milli_cpu=2000, ram_mb=4000, disk_mb=10_000, gpus=GPUS, used_milli_cpu=750, used_ram_mb=3000, used_disk_mb=40
)
UNKNOWN = {"milliCpu": None, "ramMb": None, "diskMb": None, "gpu": None, "vramMb": None}


async def add_server(database: Database, name: str, **values: object) -> int:
    """Adds a copy of the first server."""
    async with database.transaction() as session:
        server = (await session.scalars(sa.select(Server).order_by(Server.server_id).limit(1))).one()
        columns = {c.name: getattr(server, c.name) for c in Server.__table__.columns if c.name != "server_id"}
        unique: dict[str, object] = {"name": name, "secret_hash": None, "enrolment_hash": None}
        other = Server(**{**columns, **unique, **values})
        session.add(other)
        await session.flush()
        return other.server_id


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

    async def test_server_and_group_say_what_is_used_and_what_is_free(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, server: AgentTwin, database: Database
    ) -> None:
        server.capacity = MEASURED
        await start_in_group(client, publisher, 1)
        (number,) = await server.beat()
        async with database.transaction() as session:
            here = server.enrolled.server_id
            session.add(GpuAllocation(instance_id=number, gpu_id="GPU-1", server_id=here, vram_mb=8000))
        shown = await read(client, publisher, "capacity")
        assert isinstance(shown, dict)
        (row,) = shown["servers"]
        assert row["used"] == {"milliCpu": 750, "ramMb": 3000, "diskMb": 40, "gpu": 0.85, "vramMb": 9000}
        assert row["allocated"] == {"milliCpu": 300, "ramMb": 500, "diskMb": 1024, "gpu": 1, "vramMb": 8000}
        assert row["free"] == {"milliCpu": 1700, "ramMb": 3500, "diskMb": 8976, "gpu": 1, "vramMb": 40_000}
        assert {name: shown[name] for name in ("allocated", "used", "free")} == {
            name: row[name] for name in ("allocated", "used", "free")
        }
        first, second = row["gpus"]
        assert first == {
            "gpuId": "GPU-1", "model": "L4", "vramMb": 24_000, "allocatedVramMb": 8000, "freeVramMb": 16_000,
            "usedVramMb": 9000, "usagePercent": 70,
        }  # fmt: skip
        assert (second["allocatedVramMb"], second["freeVramMb"], second["usedVramMb"]) == (0, 24_000, 0)

    async def test_group_adds_up_its_servers_in_one_statement(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin, database: Database, statements: Statements
    ) -> None:
        server.capacity = MEASURED
        await server.beat()
        for number in range(3):
            await add_server(database, f"other-{number}")
        statements.clear()
        shown = await read(client, publisher, "capacity")
        assert isinstance(shown, dict)
        assert shown["used"] == {"milliCpu": 3000, "ramMb": 12_000, "diskMb": 160, "gpu": 3.4, "vramMb": 36_000}
        assert (shown["gpu"], shown["free"]["milliCpu"], shown["free"]["gpu"]) == (8, 8000, 8)
        assert len([text for text in statements.selects if "FROM server" in text]) == 1

    async def test_use_of_the_group_is_unknown_if_one_server_does_not_know_its_own(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin, database: Database
    ) -> None:
        server.capacity = MEASURED
        await server.beat()
        blind = {"milli_cpu": 5, "ram_mb": None, "disk_mb": None, "gpus": []}
        await add_server(database, "blind", used=blind)
        shown = await read(client, publisher, "capacity")
        assert isinstance(shown, dict)
        assert shown["used"] == UNKNOWN | {"milliCpu": 755}

    async def test_server_of_an_older_agent_has_unknown_use(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin
    ) -> None:
        shown = await read(client, publisher, "capacity")
        assert isinstance(shown, dict)
        assert shown["used"] == UNKNOWN | {"gpu": 0, "vramMb": 0}, "it has no GPUs, so none is in use"

    async def test_more_allocated_than_there_is_leaves_nothing_free(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, server: AgentTwin, database: Database
    ) -> None:
        await start_in_group(client, publisher, 2)
        async with database.transaction() as session:
            most = 2**63 - 1
            await session.execute(sa.update(Allocation).values(milli_cpu=most, ram_mb=most, disk_mb=most))
        shown = await read(client, publisher, "capacity")
        assert isinstance(shown, dict)
        (row,) = shown["servers"]
        for each in (shown, row):
            assert (each["allocated"]["ramMb"], each["free"]["ramMb"]) == (2**63 - 1, 0), "an int64 of the wire"

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
        server.capacity = MEASURED
        await server.beat()
        clock.advance(timedelta(seconds=31))
        shown = await read(client, publisher, "capacity")
        assert isinstance(shown, dict)
        assert (shown["milliCpu"], shown["nodes"], shown["free"]["ramMb"]) == (0, [], 0)
        (row,) = shown["servers"]
        assert row["status"] == "UNAVAILABLE"
        assert (shown["used"], row["used"]) == (UNKNOWN, UNKNOWN), "what it used then says nothing of now"
        assert {(gpu["usedVramMb"], gpu["usagePercent"]) for gpu in row["gpus"]} == {(None, None)}
        assert row["free"]["ramMb"] == MEASURED.ram_mb

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

    async def test_who_may_use_a_group_of_another_account_does_not_see_its_servers(
        self, client: httpx.AsyncClient, publisher: World, server: AgentTwin
    ) -> None:
        """A hostile tenant names the owner's account itself; the group is open to everybody."""
        opened = await client.post(GROUP, json={"name": "mine", "access": "PUBLIC"}, headers=publisher.admin)
        assert opened.status_code == 200, opened.text
        missing = GROUP.replace("mine", "none")
        answers = [await client.get(f"{path}/capacity", headers=publisher.stranger) for path in (GROUP, missing)]
        assert {(answer.status_code, answer.json()["code"]) for answer in answers} == {(403, answers[0].json()["code"])}
        assert "s1" not in answers[0].text


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
