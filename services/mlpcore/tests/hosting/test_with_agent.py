"""The platform with its real agent, which runs a real process."""

import asyncio
import re
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.instances.loops.reconciler import reconciler_loop
from mlpcore.features.servers.tables import Server
from mlpcore.state import CoreState
from mlplace_agent.agent import Agent
from mlplace_agent.config import AgentConfig
from mlplace_agent.gpus.inventory import GpuInventory
from mlplace_agent.identity import Credentials
from mlplace_agent.meter import ServerMeter
from mlplace_agent.platform import Platform
from mlplace_agent.runtimes.choice import ChosenRuntime
from mlplace_kit.clock import SystemClock
from mlplace_testing.agents import AgentTwin
from mlplace_testing.gpus import write_smi
from mlplace_testing.waiting import eventually
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
ACCOUNT = "/api/mlpcore/account/acme"
PROGRAM = "import os,time; print(os.environ['MLP_SERVICE_TOKEN'], os.environ['GREETING'], flush=True); time.sleep(300)"
GPUS = "GPU-1;NVIDIA A100-SXM4-40GB;40960;1000;35;-\nGPU-2;NVIDIA A100-SXM4-40GB;40960;0;0;-\n"
SHOWS_GPUS = """
import os, time
print({name: value for name, value in os.environ.items() if name.endswith("VISIBLE_DEVICES")}, flush=True)
time.sleep(300)
"""
USES_MEMORY = """
import os
kept = []
while True:
    kept.append(os.urandom(2**20))
"""
USES_DISK = """
import tempfile, time
with open(tempfile.gettempdir() + "/large", "wb") as file:
    for _ in range(96):
        file.write(bytes(2**20))
time.sleep(300)
"""


@asynccontextmanager
async def working(
    client: httpx.AsyncClient, twin: AgentTwin, folder: Path, program: str = PROGRAM, gpus: GpuInventory | None = None
) -> AsyncGenerator[None]:
    config = AgentConfig.model_validate(
        {
            "platform_url": "http://testserver",
            "state_dir": folder,
            "programs": {"acme/greeting:1": {"command": [sys.executable, "-c", program], "environment": ["GREETING"]}},
        }
    )
    known = twin.enrolled
    credentials = Credentials(
        platform_url="http://testserver", account_id=known.account_id, server_id=known.server_id, secret=known.secret
    )
    agent = Agent(
        platform=Platform(client),
        credentials=credentials,
        runtime=ChosenRuntime(config, agent_id="5" * 32, server_id=known.server_id, gpus=gpus),
        clock=SystemClock(),
        heartbeat_seconds=0.05,
        meter=ServerMeter(disk_path=str(folder), gpus=gpus),
    )
    task = asyncio.create_task(agent.run())
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await agent.shut_down(grace_seconds=0)


async def test_instance_starts_writes_output_and_ends(
    client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, tmp_path: Path, state: CoreState
) -> None:
    started = await client.post(f"{MODEL}/instances", json=1, headers=publisher.owner)
    assert started.status_code == 200
    listed = (await client.get(f"{MODEL}/instance", headers=publisher.owner)).json()["instances"]
    number = listed[0]["id"]

    async def output() -> str:
        return (await client.get(f"{MODEL}/instance/{number}/file/logs", headers=publisher.owner)).text

    async def instances() -> list[object]:
        return (await client.get(f"{MODEL}/instance", headers=publisher.owner)).json()["instances"]

    async with working(client, agent, tmp_path):
        said = await eventually(output, until=lambda text: "it's $HOME" in text)
        token, _, rest = said.partition(" ")
        assert rest == "it's $HOME\n"
        async with state.database.transaction() as session:
            held = await session.scalar(sa.text("SELECT token_hash FROM instance"))
        assert state.hasher.digest(token) == held, "it was given its own token"
        environment = (await client.get(f"{MODEL}/instance/{number}/environment", headers=publisher.owner)).json()
        assert environment["environment"]["MLP_SERVICE_TOKEN"] == "********"
        last = (await client.get(f"{MODEL}/instance/{number}/laststate", headers=publisher.owner)).json()
        assert last["running"]["startedAt"] is not None
        await client.post(f"{MODEL}/instances", json=0, headers=publisher.owner)
        await eventually(instances, until=lambda found: found == [])


class Owner:
    """The account that runs the model."""

    def __init__(self, client: httpx.AsyncClient, world: World) -> None:
        self._client, self._world = client, world

    async def read(self, path: str) -> Any:
        answer = await self._client.get(path, headers=self._world.owner)
        assert answer.status_code == 200, answer.text
        return answer.json()

    async def post(self, path: str, body: object) -> None:
        answer = await self._client.post(path, json=body, headers=self._world.owner)
        assert answer.status_code == 200, answer.text

    async def need(self, **limits: object) -> None:
        await self.post(MODEL, {"modelName": "greeting", "resourceLimits": limits})

    async def scale(self, count: int) -> None:
        await self.post(f"{MODEL}/instances", count)

    async def allow_gpus(self, count: int) -> None:
        limits = {**(await self.read(ACCOUNT))["limits"], "gpuModelInstanceLimit": count}
        path = "/api/mlpcore/admin/account/acme/limits"
        assert (await self._client.post(path, json=limits, headers=self._world.admin)).status_code == 200

    async def instances(self) -> list[dict[str, Any]]:
        return (await self.read(f"{MODEL}/instance"))["instances"]

    async def output(self, number: int) -> str:
        return (await self._client.get(f"{MODEL}/instance/{number}/file/logs", headers=self._world.owner)).text


@pytest.fixture
def owner(client: httpx.AsyncClient, publisher: World, model_id: int) -> Owner:
    return Owner(client, publisher)


class TestGpus:
    @pytest.fixture
    async def machine(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncGenerator[GpuInventory]:
        """A machine with two GPUs that nvidia-smi tells of."""
        commands = tmp_path / "bin"
        commands.mkdir()
        write_smi(commands)
        (tmp_path / "gpus.txt").write_text(GPUS)
        monkeypatch.setenv("PATH", str(commands), prepend=":")
        monkeypatch.setenv("MLP_FAKE_GPUS", str(tmp_path / "gpus.txt"))
        inventory = GpuInventory(tmp_path / "stored.json", seconds=0.2, pause_seconds=0.1)
        inventory.start()

        async def known() -> int:
            return len(inventory.gpus)

        await eventually(known, until=lambda count: count == 2)
        yield inventory
        await inventory.close()

    async def test_each_instance_sees_the_gpu_that_it_holds_and_a_freed_one_is_used_again(
        self, owner: Owner, client: httpx.AsyncClient, agent: AgentTwin, machine: GpuInventory, tmp_path: Path,
        state: CoreState,
    ) -> None:  # fmt: skip
        await owner.allow_gpus(5)
        await owner.need(
            gpuRequested=True, memoryLimit="100Mi", ephemeralDiskLimit="1Mi", gpuModels=["NVIDIA A100-SXM4-40GB"]
        )

        async def reported() -> list[tuple[str, str, int, int]]:
            async with state.database.transaction() as session:
                server = (await session.scalars(sa.select(Server))).one()
            used = {gpu["gpu_id"]: gpu["used_vram_mb"] for gpu in server.used.get("gpus", ())}
            return [(gpu["gpu_id"], gpu["model"], gpu["vram_mb"], used[gpu["gpu_id"]]) for gpu in server.gpus]

        async def seen() -> dict[int, str]:
            """Returns what the placed instances see."""
            found = {one["id"]: await owner.output(one["id"]) for one in await owner.instances() if not one["waiting"]}
            return {number: text for number, text in found.items() if text}

        async with AsyncExitStack() as stack:
            await stack.enter_async_context(working(client, agent, tmp_path, SHOWS_GPUS, machine))
            a100 = "NVIDIA A100-SXM4-40GB"
            await eventually(reported, until=lambda g: g == [("GPU-1", a100, 40960, 1000), ("GPU-2", a100, 40960, 0)])
            await owner.scale(3)
            both = await eventually(seen, until=lambda found: len(found) == 2)
            assert sorted(both.values()) == [_visible("GPU-1"), _visible("GPU-2")]
            (waiting,) = [one for one in await owner.instances() if one["waiting"]]
            assert [lack["what"] for lack in waiting["waiting"]["details"]["lacking"]] == ["freeGpu"]
            # Nobody asks for a pass from here on: the agent reports the end, and the loop finds who waits.
            loop = asyncio.ensure_future(reconciler_loop(state).run())
            stack.push_async_callback(_cancelled, loop)
            freed = next(number for number, text in both.items() if text == _visible("GPU-2"))
            await owner.post(f"{MODEL}/instance/{freed}/terminate", None)
            later = await eventually(seen, until=lambda found: waiting["id"] in found)
            assert later[waiting["id"]] == _visible("GPU-2")


class TestBrokenLimit:
    @pytest.mark.parametrize(
        ("program", "reason", "message"),
        [
            (USES_MEMORY, "OOMKilled", r".*100 MiB.*"),
            (
                USES_DISK,
                "DiskLimitExceeded",
                r"The files of the instance took [0-9.]+ MiB of disk; its limit is 64 MiB",
            ),
        ],
    )
    async def test_last_state_events_and_notification_say_so(
        self, owner: Owner, client: httpx.AsyncClient, agent: AgentTwin, tmp_path: Path, program: str, reason: str,
        message: str,
    ) -> None:  # fmt: skip
        await owner.need(memoryLimit="100Mi", ephemeralDiskLimit="64Mi")

        async def told() -> list[str]:
            found = await owner.read(f"{ACCOUNT}/notification")
            return [one["textMessage"] for one in found if one["severity"] == "ERROR"]

        async with working(client, agent, tmp_path, program):
            await owner.scale(1)
            number = (await owner.instances())[0]["id"]
            (text,) = await eventually(told)
        assert re.fullmatch(f"Instance {number}: {message}", text)
        last = (await owner.read(f"{MODEL}/instance/{number}/laststate"))["terminated"]
        assert (last["exitCode"], last["reason"]) == (137, reason)
        assert re.fullmatch(message, last["message"])
        events = (await owner.read(f"{MODEL}/instance/{number}/events"))["events"]
        assert [event["type"] for event in events if event["reason"] == reason][:1] == ["Warning"]


def _visible(gpu: str) -> str:
    return f"{{'CUDA_VISIBLE_DEVICES': '{gpu}', 'NVIDIA_VISIBLE_DEVICES': '{gpu}'}}\n"


async def _cancelled(task: asyncio.Future[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
