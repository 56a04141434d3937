"""What agents report of their servers, and what they are told that instances may use."""

import json

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import MOST_PROGRAMS, DesiredInstance, DesiredState, ReportedPhase
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
LARGEST = 2**31 - 1
GPU = {"gpu_id": "GPU-1", "model": "NVIDIA A100", "vram_mb": 40_960, "used_vram_mb": 1024, "usage_percent": 7}
CAPACITY = {
    "milli_cpu": 8000,
    "ram_mb": 32_000,
    "disk_mb": 100_000,
    "gpus": [GPU],
    "used_milli_cpu": 500,
    "used_ram_mb": 4000,
    "used_disk_mb": 20,
}


async def tell(agent: AgentTwin, **changes: object) -> httpx.Response:
    body = {"agent_version": "1", "capacity": {**CAPACITY, **changes}, "instances": []}
    return await agent.post(json.dumps(body))


async def say(agent: AgentTwin, **values: object) -> httpx.Response:
    return await agent.post(json.dumps({"agent_version": "1", "capacity": CAPACITY, "instances": [], **values}))


async def stored(state: CoreState, agent: AgentTwin) -> sa.RowMapping:
    async with state.database.transaction() as session:
        where = {"id": agent.enrolled.server_id}
        found = await session.execute(sa.text("SELECT * FROM server WHERE server_id = :id"), where)
        return found.mappings().one()


class TestReport:
    async def test_capacity_and_use_are_stored(self, state: CoreState, agent: AgentTwin) -> None:
        assert (await tell(agent)).status_code == 200
        row = await stored(state, agent)
        assert (row["milli_cpu"], row["ram_mb"], row["disk_mb"]) == (8000, 32_000, 100_000)
        assert row["gpus"] == [{"gpu_id": "GPU-1", "model": "NVIDIA A100", "vram_mb": 40_960}]
        gpu = {"gpu_id": "GPU-1", "used_vram_mb": 1024, "usage_percent": 7}
        assert row["used"] == {"milli_cpu": 500, "ram_mb": 4000, "disk_mb": 20, "gpus": [gpu]}
        assert row["capacity"]["gpu_models"] == ["NVIDIA A100"]

    async def test_unknown_use_stays_unknown_and_a_missing_gpu_disappears(
        self, state: CoreState, agent: AgentTwin
    ) -> None:
        await tell(agent)
        await tell(agent, gpus=[], used_milli_cpu=None, used_ram_mb=None, used_disk_mb=None)
        row = await stored(state, agent)
        assert row["gpus"] == []
        assert row["used"] == {"milli_cpu": None, "ram_mb": None, "disk_mb": None, "gpus": []}

    async def test_report_of_an_older_agent_is_accepted(self, state: CoreState, agent: AgentTwin) -> None:
        capacity = {"milli_cpu": 1000, "ram_mb": 2, "disk_mb": 3, "gpu_models": ["T4"]}
        body = {"agent_version": "0", "capacity": capacity, "instances": []}
        assert (await agent.post(json.dumps(body))).status_code == 200
        row = await stored(state, agent)
        assert (row["milli_cpu"], row["gpus"], row["capacity"]["gpu_models"]) == (1000, [], ["T4"])


class TestImages:
    async def test_what_the_server_can_run_is_stored(self, state: CoreState, agent: AgentTwin) -> None:
        assert (await say(agent, runs_containers=False, programs=["b/i:1", "a/i:1", "a/i:1"])).status_code == 200
        row = await stored(state, agent)
        assert (row["runs_containers"], row["programs"]) == (False, ["a/i:1", "b/i:1"])

    async def test_older_agent_may_run_any_image(self, state: CoreState, agent: AgentTwin) -> None:
        await say(agent, runs_containers=False, programs=["a/i:1"])
        await tell(agent)
        row = await stored(state, agent)
        assert (row["runs_containers"], row["programs"]) == (True, [])

    async def test_programs_are_bounded_in_number_and_are_addresses(self, state: CoreState, agent: AgentTwin) -> None:
        hostile = ["", "nul\0", "a b", "A/UPPER", "x" * 513, "я/i", "'; DROP TABLE server; --"]
        await say(agent, runs_containers=False, programs=[*hostile, *(f"a/i:{number}" for number in range(5000))])
        programs = (await stored(state, agent))["programs"]
        assert len(programs) == MOST_PROGRAMS - len(hostile)
        assert all(address.startswith("a/i:") for address in programs)

    @pytest.mark.parametrize(
        "said", [{"programs": "a/i:1"}, {"programs": [7]}, {"programs": None}, {"runs_containers": "perhaps"}]
    )
    async def test_value_of_a_wrong_type_is_refused(
        self, state: CoreState, agent: AgentTwin, said: dict[str, object]
    ) -> None:
        await say(agent, runs_containers=False, programs=["a/i:1"])
        answer = await say(agent, **said)
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.malformed_request")
        assert (await stored(state, agent))["programs"] == ["a/i:1"]


class TestHostileReport:
    async def test_amounts_are_clamped(self, state: CoreState, agent: AgentTwin) -> None:
        gpu = {**GPU, "vram_mb": 10**30, "used_vram_mb": -5, "usage_percent": 10**9}
        told = await tell(agent, milli_cpu=-1, ram_mb=10**40, disk_mb=-(10**40), used_ram_mb=10**40, gpus=[gpu])
        assert told.status_code == 200
        row = await stored(state, agent)
        assert (row["milli_cpu"], row["ram_mb"], row["disk_mb"]) == (0, LARGEST, 0)
        assert row["used"]["ram_mb"] == LARGEST
        assert row["gpus"][0]["vram_mb"] == LARGEST
        assert row["used"]["gpus"] == [{"gpu_id": "GPU-1", "used_vram_mb": 0, "usage_percent": 100}]

    async def test_first_report_of_a_repeated_gpu_counts(self, state: CoreState, agent: AgentTwin) -> None:
        await tell(agent, gpus=[GPU, {**GPU, "model": "another"}])
        row = await stored(state, agent)
        assert [gpu["model"] for gpu in row["gpus"]] == ["NVIDIA A100"]
        assert len(row["used"]["gpus"]) == 1

    async def test_number_of_gpus_is_bounded(self, state: CoreState, agent: AgentTwin) -> None:
        gpus = [{"gpu_id": f"G{number}", "model": "m", "vram_mb": 1} for number in range(10_000)]
        assert (await tell(agent, gpus=gpus)).status_code == 200
        assert len((await stored(state, agent))["gpus"]) == 256

    @pytest.mark.parametrize("gpu_id", ["", "a,b", "a b", "nul\0", "all\n", "-x", "я", "x" * 97])
    async def test_gpu_with_an_invalid_id_is_ignored(self, state: CoreState, agent: AgentTwin, gpu_id: str) -> None:
        await tell(agent, gpus=[{**GPU, "gpu_id": gpu_id}, {**GPU, "model": "n\0l" * 500}])
        (gpu,) = (await stored(state, agent))["gpus"]
        assert (gpu["gpu_id"], len(gpu["model"])) == ("GPU-1", 128)
        assert "\0" not in gpu["model"]

    @pytest.mark.parametrize(
        "changes",
        [
            {"gpus": "all"},
            {"gpus": [7]},
            {"gpus": [{**GPU, "vram_mb": None}]},
            {"gpus": [{**GPU, "gpu_id": 7}]},
            {"milli_cpu": "many"},
            {"ram_mb": 1.5},
            {"disk_mb": None},
            {"used_disk_mb": []},
        ],
    )
    async def test_value_of_a_wrong_type_is_refused(
        self, state: CoreState, agent: AgentTwin, changes: dict[str, object]
    ) -> None:
        await tell(agent)
        answer = await tell(agent, **{"milli_cpu": 1, **changes})
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.malformed_request")
        assert (await stored(state, agent))["milli_cpu"] == 8000


class TestLimitsOfInstances:
    @pytest.fixture
    async def number(self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin) -> int:
        await tell(agent)
        answer = await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
        assert answer.status_code == 200, answer.text
        (number,) = await agent.beat()
        return number

    async def desired(self, agent: AgentTwin, number: int) -> DesiredInstance:
        answer = await tell(agent)
        found = DesiredState.model_validate_json(answer.content).instances
        return next(instance for instance in found if instance.instance_id == number)

    async def allocate(self, state: CoreState, agent: AgentTwin, number: int, **gpus: int) -> None:
        where = {"id": number, "server": agent.enrolled.server_id}
        async with state.database.transaction() as session:
            await session.execute(sa.text("DELETE FROM allocation WHERE instance_id = :id"), where)
            row = "INSERT INTO allocation VALUES (:id, :server, 1, 150, 600, 100)"
            await session.execute(sa.text(row), where)
            for gpu_id, vram_mb in gpus.items():
                row = "INSERT INTO gpu_allocation VALUES (:id, :gpu, :server, :vram)"
                await session.execute(sa.text(row), {**where, "gpu": gpu_id.replace("_", "-"), "vram": vram_mb})

    async def test_instance_without_an_allocation_gets_no_gpu(
        self, state: CoreState, agent: AgentTwin, number: int
    ) -> None:
        async with state.database.transaction() as session:
            await session.execute(sa.text("DELETE FROM allocation"))
        found = await self.desired(agent, number)
        assert (found.milli_cpu, found.memory_bytes, found.disk_bytes) == (100, 500 * 2**20, 100 * 2**20)
        assert (found.gpu_ids, found.gpu_memory_mb) == ((), None)

    async def test_allocation_is_sent(self, state: CoreState, agent: AgentTwin, number: int) -> None:
        await self.allocate(state, agent, number, GPU_2=1, GPU_1=40_960)
        found = await self.desired(agent, number)
        assert (found.milli_cpu, found.memory_bytes) == (150, 600 * 2**20)
        assert (found.disk_bytes, found.gpu_ids, found.gpu_memory_mb) == (100 * 2**20, ("GPU-1", "GPU-2"), None)

    async def test_part_of_a_gpus_memory_is_sent(self, state: CoreState, agent: AgentTwin, number: int) -> None:
        await self.allocate(state, agent, number, GPU_1=8000)
        found = await self.desired(agent, number)
        assert (found.gpu_ids, found.gpu_memory_mb) == (("GPU-1",), 8000)

    async def test_allocation_on_another_server_is_not_sent(
        self, state: CoreState, agent: AgentTwin, number: int
    ) -> None:
        await self.allocate(state, agent, number, GPU_1=8000)
        async with state.database.transaction() as session:
            await session.execute(sa.text("UPDATE allocation SET server_id = server_id + 1"))
        assert (await self.desired(agent, number)).gpu_ids == ()


class TestBrokenLimit:
    @pytest.mark.parametrize("reason", ["OOMKilled", "DiskLimitExceeded"])
    async def test_last_state_events_and_notification_name_limit_and_use(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, reason: str
    ) -> None:
        answer = await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
        assert answer.status_code == 200, answer.text
        (number,) = await agent.beat()
        text = "The files of the instance took 96 MiB of disk; its limit is 64 MiB"
        broken = report(number, ReportedPhase.BACKOFF, exit_code=137, reason=reason, message=text)
        await agent.beat(broken)
        await agent.beat(broken)
        headers = publisher.owner
        last = (await client.get(f"{MODEL}/instance/{number}/laststate", headers=headers)).json()["terminated"]
        assert (last["exitCode"], last["reason"], last["message"]) == (137, reason, text)
        events = (await client.get(f"{MODEL}/instance/{number}/events", headers=headers)).json()["events"]
        assert [event["message"] for event in events if event["reason"] == reason] == [text]
        told = (await client.get("/api/mlpcore/account/acme/notification", headers=headers)).json()
        assert [row["textMessage"] for row in told if row["severity"] == "ERROR"] == [f"Instance {number}: {text}"]
