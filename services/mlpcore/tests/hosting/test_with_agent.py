"""The platform with its real agent, which runs a real process."""

import asyncio
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import sqlalchemy as sa

from mlpcore.state import CoreState
from mlplace_agent.agent import Agent
from mlplace_agent.config import AgentConfig
from mlplace_agent.identity import Credentials
from mlplace_agent.platform import Platform
from mlplace_agent.runtimes.choice import ChosenRuntime
from mlplace_kit.clock import SystemClock
from mlplace_testing.agents import AgentTwin
from mlplace_testing.waiting import eventually
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
PROGRAM = "import os,time; print(os.environ['MLP_SERVICE_TOKEN'], os.environ['GREETING'], flush=True); time.sleep(300)"


@asynccontextmanager
async def working(client: httpx.AsyncClient, twin: AgentTwin, folder: Path) -> AsyncGenerator[None]:
    config = AgentConfig.model_validate(
        {
            "platform_url": "http://testserver",
            "state_dir": folder,
            "programs": {"acme/greeting:1": {"command": [sys.executable, "-c", PROGRAM], "environment": ["GREETING"]}},
        }
    )
    known = twin.enrolled
    credentials = Credentials(
        platform_url="http://testserver", account_id=known.account_id, server_id=known.server_id, secret=known.secret
    )
    agent = Agent(
        platform=Platform(client),
        credentials=credentials,
        runtime=ChosenRuntime(config, server_id=known.server_id),
        clock=SystemClock(),
        heartbeat_seconds=0.05,
        disk_path=str(folder),
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
