"""Servers that never report again: their instances get other servers, and what should have ended is deleted."""

from collections.abc import Awaitable, Callable
from datetime import timedelta

import httpx
import pytest

from mlpcore.features.instances.loops.lost_servers import LOST_AFTER, LostServers
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.features.servers.watching import ServerWatch
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import ReportedPhase as P
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
Tell = Callable[..., Awaitable[None]]


class Installation:
    """Its loops, by a clock that only the test moves."""

    def __init__(self, state: CoreState, client: httpx.AsyncClient, world: World) -> None:
        self._clock, self._client, self._world = state.clock, client, world
        self._watch, self._lost, self._reconciler = ServerWatch(state), LostServers(state), Reconciler(state)

    async def turn(self) -> None:
        await self._watch.turn()
        await self._lost.turn()
        await self._reconciler.turn()

    async def pass_time(self, time: timedelta) -> None:
        assert isinstance(self._clock, ManualClock)
        await self.turn()
        self._clock.advance(time)
        await self.turn()

    async def lose(self) -> None:
        """No server reports for as long as it takes to give them up."""
        for time in (timedelta(minutes=1, seconds=1), SILENT_AFTER, LOST_AFTER + timedelta(seconds=1)):
            await self.pass_time(time)

    async def rows(self) -> list[dict[str, object]]:
        answer = await self._client.get(f"{MODEL}/instance", headers=self._world.owner)
        return list(answer.json()["instances"])

    async def scale(self, number: int) -> None:
        answer = await self._client.post(f"{MODEL}/instances", json=number, headers=self._world.owner)
        assert answer.status_code == 200, answer.text


@pytest.fixture
def installation(state: CoreState, client: httpx.AsyncClient, publisher: World, model_id: int) -> Installation:
    assert model_id
    return Installation(state, client, publisher)


@pytest.fixture
async def running(installation: Installation, agent: AgentTwin) -> int:
    """An instance that runs and to which no gate is connected yet."""
    await installation.scale(1)
    (number,) = await agent.beat()
    await agent.beat(report(number, P.RUNNING))
    return number


async def test_instance_waits_for_another_server(installation: Installation, running: int, agent: AgentTwin) -> None:
    await installation.lose()
    (row,) = await installation.rows()
    assert (row["id"], row["serverId"]) == (running, None)


async def test_what_the_server_still_runs_ends_when_it_reports_again(
    installation: Installation, running: int, agent: AgentTwin
) -> None:
    await installation.lose()
    assert await agent.beat(report(running, P.RUNNING)) == {}  # what is not ordered ends
    await installation.turn()
    (row,) = await installation.rows()
    assert row["serverId"] == agent.enrolled.server_id
    (wanted,) = (await agent.beat()).values()
    assert (wanted.stop, wanted.generation) == (False, 3)


async def test_instance_that_answers_calls_goes_on(
    installation: Installation, running: int, agent: AgentTwin, gate: GateTwin, told: Tell
) -> None:
    await told(gate.connected(running))
    await installation.lose()
    (row,) = await installation.rows()
    assert row["serverId"] == agent.enrolled.server_id


async def test_stopped_instance_is_deleted(
    installation: Installation, running: int, gate: GateTwin, told: Tell
) -> None:
    await told(gate.connected(running))
    await installation.scale(0)
    await installation.lose()
    assert await installation.rows() == []


@pytest.mark.parametrize("silent", [timedelta(), LOST_AFTER - timedelta(seconds=2)])
async def test_server_that_was_away_for_a_short_time_keeps_its_instances(
    installation: Installation, running: int, agent: AgentTwin, silent: timedelta
) -> None:
    await installation.pass_time(timedelta(minutes=1, seconds=1))
    await installation.pass_time(silent)
    (row,) = await installation.rows()
    assert (row["id"], row["serverId"]) == (running, agent.enrolled.server_id)


async def test_servers_that_could_not_reach_the_platform_are_not_lost(
    installation: Installation, running: int, agent: AgentTwin, state: CoreState
) -> None:
    """The platform was away for a day."""
    assert isinstance(state.clock, ManualClock)
    state.clock.advance(timedelta(days=1))
    await installation.turn()
    (row,) = await installation.rows()
    assert (row["id"], row["serverId"]) == (running, agent.enrolled.server_id)
