"""An image is placed only on a server that can run it."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from mlpcore.features.instances.lifecycle.gpu_comparison import STAYS
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.models.tables import Model
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import Enrolled, ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin, report
from mlplace_testing.world import World

from .test_placement import MODEL, listed, scale

IMAGE = "acme/greeting:1"


@pytest.fixture
async def other(client: httpx.AsyncClient, world: World, agent: AgentTwin) -> AgentTwin:
    """A second server of the public group. Its id is higher, so the first one is preferred."""
    body = {"groupName": "default", "serverName": "other"}
    made = await client.post("/internal/mlpcore/bootstrap/server", json=body, headers=world.internal)
    answer = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": made.json()["enrolmentToken"]})
    twin = AgentTwin(client, Enrolled.model_validate_json(answer.content))
    await twin.beat()
    return twin


async def can_run(agent: AgentTwin, *programs: str, containers: bool = False) -> None:
    agent.runs_containers, agent.programs = containers, programs
    await agent.beat()


async def places(client: httpx.AsyncClient, world: World) -> list[int | None]:
    return [row["serverId"] for row in await listed(client, world)]


async def reason(client: httpx.AsyncClient, world: World) -> dict[str, Any]:
    return (await client.get(f"{MODEL}/status", headers=world.owner)).json()["waiting"]


class TestPlacement:
    async def test_server_without_containers_gets_only_images_of_its_programs(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, other: AgentTwin
    ) -> None:
        await can_run(agent, "acme/another:1")
        await can_run(other, containers=True)
        await scale(client, publisher, 3)
        assert await places(client, publisher) == [other.enrolled.server_id] * 3

    async def test_program_for_the_image_is_as_good_as_containers(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, other: AgentTwin
    ) -> None:
        await can_run(agent, IMAGE)
        await can_run(other, containers=True)
        await scale(client, publisher, 2)
        assert set(await places(client, publisher)) == {agent.enrolled.server_id, other.enrolled.server_id}

    async def test_agent_that_does_not_say_it_counts_as_able_to_run_all(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, other: AgentTwin
    ) -> None:
        await can_run(agent)
        await scale(client, publisher, 1)
        assert await places(client, publisher) == [other.enrolled.server_id]

    async def test_service_with_data_images_is_not_run_as_a_program(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        other: AgentTwin,
        state: CoreState,
    ) -> None:
        await can_run(agent, IMAGE)
        mounts = [{"dataImageId": 1, "targetPath": "/data"}]
        async with state.database.transaction() as session:
            await session.execute(sa.update(Model).values(data_image_mounts=mounts))
        await scale(client, publisher, 2)
        assert await places(client, publisher) == [other.enrolled.server_id] * 2


class TestRefused:
    """An earlier release has placed it, or the agent has another configuration since."""

    async def test_instance_moves_to_a_server_that_can_run_it(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        other: AgentTwin,
        clock: ManualClock,
        reconciler: Reconciler,
    ) -> None:
        await scale(client, publisher, 1)
        (number,) = await agent.beat()
        agent.runs_containers = False
        refused = report(number, ReportedPhase.REFUSED)
        for seconds, there in ((0, {number}), (STAYS.total_seconds(), set[int]())):
            clock.advance(timedelta(seconds=seconds))
            assert set(await agent.beat(refused)) == there
        await other.beat()
        await reconciler.turn()
        assert await places(client, publisher) == [other.enrolled.server_id]
        events = await client.get(f"{MODEL}/instance/{number}/events", headers=publisher.owner)
        assert "ImageRefused" in [event["reason"] for event in events.json()["events"]]

    @pytest.mark.parametrize(
        ("containers", "programs", "phase"),
        [
            (None, (), ReportedPhase.REFUSED),
            (True, (), ReportedPhase.REFUSED),
            (False, (IMAGE,), ReportedPhase.REFUSED),
            (False, (), ReportedPhase.RUNNING),
        ],
    )
    async def test_one_that_is_refused_for_another_reason_or_runs_stays(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        clock: ManualClock,
        containers: bool | None,
        programs: tuple[str, ...],
        phase: ReportedPhase,
    ) -> None:
        await scale(client, publisher, 1)
        (number,) = await agent.beat()
        agent.runs_containers, agent.programs = containers, programs
        clock.advance(STAYS)
        for _ in range(2):
            assert list(await agent.beat(report(number, phase))) == [number]


class TestWaiting:
    async def test_owner_sees_the_reason_until_a_server_can_run_the_image(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, reconciler: Reconciler
    ) -> None:
        await can_run(agent, "acme/another:1")
        await scale(client, publisher, 1)
        for _ in range(2):
            waiting = await reason(client, publisher)
            assert (waiting["reason"], waiting["message"]) == (
                "NotEnoughRoom", "1 server: 1 cannot run this image"
            )  # fmt: skip
            assert waiting["details"]["lacking"] == [{"what": "image", "servers": 1, "missing": 0}]
            assert await agent.beat() == {}
            await reconciler.turn()
        await can_run(agent, IMAGE)
        await reconciler.turn()
        assert await places(client, publisher) == [agent.enrolled.server_id]
