"""Servers are emptied before they go: instances start elsewhere before the old ones end."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import httpx
import pytest

from mlpcore.features.instances.loops.draining import LONGEST, Draining
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.state import CoreState
from mlplace_contracts.events import GateStarted
from mlplace_contracts.internal.hosting import Enrolled
from mlplace_contracts.internal.hosting import ReportedPhase as P
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.world import World

ACCOUNT = "/api/mlpcore/account/acme"
MODEL = f"{ACCOUNT}/model/greeting"
GROUP = f"{ACCOUNT}/resource-groups/pool"
Tell = Callable[..., Awaitable[None]]


async def server(client: httpx.AsyncClient, world: World, name: str, **about: object) -> AgentTwin:
    body = {"serverName": name, "rawConfiguration": "provider: hosting_server\nlabels: {zone: a}\n", **about}
    made = await client.post(f"{GROUP}/server", json=body, headers=world.owner)
    assert made.status_code == 200, made.text
    answer = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": made.json()["enrolmentToken"]})
    agent = AgentTwin(client, Enrolled.model_validate_json(answer.content))
    await agent.beat()
    return agent


async def automatic(floor: "Floor") -> None:
    body = {"modelName": "greeting", "hostingType": "AUTOMATIC"}
    changed = await floor.client.post(MODEL, json=body, headers=floor.world.owner)
    assert changed.status_code == 200, changed.text


class Floor:
    """A group of the account's own with servers, and a running instance of the model on one of them."""

    def __init__(self, client: httpx.AsyncClient, world: World, state: CoreState, gate: GateTwin, told: Tell) -> None:
        self.client, self.world, self.gate, self.told = client, world, gate, told
        self._state = state
        self.reconciler, self.draining = Reconciler(state), Draining(state)

    async def turn(self) -> None:
        await self.draining.turn()
        await self.reconciler.turn()

    async def rows(self) -> dict[int, dict[str, object]]:
        answer = await self.client.get(f"{MODEL}/instance", headers=self.world.owner)
        return {row["id"]: row for row in answer.json()["instances"]}

    async def statuses(self) -> dict[str, str]:
        answer = await self.client.get(f"{GROUP}/server/status", headers=self.world.owner)
        return {row["name"]: row["status"] for row in answer.json()}

    async def started(self, agent: AgentTwin) -> int:
        """Starts the instance that the server is to run, and connects it."""
        (number,) = [i for i, wanted in (await agent.beat()).items() if not wanted.stop]
        await agent.beat(report(number, P.RUNNING))
        await self.told(self.gate.connected(number))
        return number

    async def state(self) -> str:
        return str((await self.client.get(f"{MODEL}/status", headers=self.world.owner)).json()["state"])

    def now(self) -> datetime:
        return self._state.clock.now()

    async def delete(self, agent: AgentTwin) -> None:
        path = f"{GROUP}/server/{agent.enrolled.server_id}"
        assert (await self.client.delete(path, headers=self.world.owner)).status_code == 200


@pytest.fixture
async def floor(
    client: httpx.AsyncClient, publisher: World, state: CoreState, gate: GateTwin, told: Tell, model_id: int
) -> Floor:
    made = await client.post(
        f"{ACCOUNT}/resource-groups", json={"name": "pool", "isDefault": True}, headers=publisher.owner
    )
    assert made.status_code == 200, made.text
    return Floor(client, publisher, state, gate, told)


@pytest.fixture
async def first(floor: Floor) -> AgentTwin:
    return await server(floor.client, floor.world, "first")


@pytest.fixture
async def old(floor: Floor, first: AgentTwin) -> int:
    asked = await floor.client.post(f"{MODEL}/instances", json=1, headers=floor.world.owner)
    assert asked.status_code == 200, asked.text
    return await floor.started(first)


class TestDelete:
    async def test_instance_stays_until_its_replacement_elsewhere_is_connected(
        self, floor: Floor, first: AgentTwin, old: int
    ) -> None:
        second = await server(floor.client, floor.world, "second")
        await floor.delete(first)
        assert await floor.statuses() == {"first": "DELETING", "second": "RUNNING"}
        await floor.turn()
        await floor.turn()
        found = await floor.rows()
        (new,) = set(found) - {old}
        assert found[new]["serverName"] == "second"
        assert not (await first.beat(report(old, P.RUNNING)))[old].stop
        assert await floor.started(second) == new
        await floor.turn()
        assert (await floor.rows())[old]["statusInfo"]["isDeleted"] is True  # type: ignore[index]  # JSON
        assert await floor.statuses() == {"first": "DELETING", "second": "RUNNING"}
        await first.beat(report(old, P.EXITED, exit_code=0))
        await floor.turn()
        assert (list(await floor.rows()), await floor.statuses()) == ([new], {"second": "RUNNING"})

    async def test_instance_stays_until_its_replacement_is_connected_to_each_of_its_gates(
        self, floor: Floor, first: AgentTwin, old: int
    ) -> None:
        second = await server(floor.client, floor.world, "second")
        await floor.told(floor.gate.connected(old, gate="gate:2"))
        await floor.delete(first)
        await floor.turn()
        new = await floor.started(second)
        await floor.turn()
        assert not (await first.beat(report(old, P.RUNNING)))[old].stop
        assert (await floor.rows())[old]["statusInfo"]["isDeleted"] is False  # type: ignore[index]  # JSON
        await floor.told(floor.gate.connected(new, gate="gate:2"))
        await floor.turn()
        assert (await floor.rows())[old]["statusInfo"]["isDeleted"] is True  # type: ignore[index]  # JSON

    async def test_without_room_elsewhere_the_instance_runs_until_the_bound(
        self, floor: Floor, first: AgentTwin, old: int, clock: ManualClock
    ) -> None:
        await floor.delete(first)
        for seconds in (0, 20, 20):
            clock.advance(timedelta(seconds=seconds))
            assert not (await first.beat(report(old, P.RUNNING)))[old].stop
            await floor.turn()
        found = await floor.rows()
        (new,) = set(found) - {old}
        assert (found[old]["serverName"], found[new]["serverId"]) == ("first", None)
        state = await floor.client.get(f"{MODEL}/instance/{new}/laststate", headers=floor.world.owner)
        assert state.json()["waiting"]["details"]["lacking"][0]["what"] == "availability"
        clock.advance(LONGEST)
        await first.beat(report(old, P.RUNNING))
        await floor.turn()
        await floor.turn()
        assert await floor.statuses() == {}
        assert [row["serverId"] for row in (await floor.rows()).values()] == [None]

    async def test_server_without_instances_goes_at_once(self, floor: Floor, first: AgentTwin) -> None:
        await floor.delete(first)
        assert await floor.statuses() == {}

    async def test_silent_server_goes_at_once(
        self, floor: Floor, first: AgentTwin, old: int, clock: ManualClock
    ) -> None:
        clock.advance(timedelta(seconds=31))
        await floor.delete(first)
        assert await floor.statuses() == {}

    async def test_instance_that_nobody_requests_any_more_ends_without_replacement(
        self, floor: Floor, first: AgentTwin, old: int
    ) -> None:
        await floor.delete(first)
        await floor.client.post(f"{MODEL}/instances", json=0, headers=floor.world.owner)
        await floor.turn()
        assert [row["statusInfo"]["isDeleted"] for row in (await floor.rows()).values()] == [True]  # type: ignore[index]  # JSON

    async def test_service_whose_failed_instance_is_about_to_end_does_not_sleep_yet(
        self, floor: Floor, first: AgentTwin, old: int, gate: GateTwin
    ) -> None:
        await automatic(floor)
        await floor.told(GateStarted(gate="gate:1", occurred_at=floor.now() + timedelta(seconds=1)))
        await first.beat(report(old, P.BACKOFF, restart_count=1, exit_code=1, reason="Error", message="no licence"))
        await floor.delete(first)
        assert await floor.state() == "INACTIVE"
        await floor.client.post(f"{MODEL}/instances", json=0, headers=floor.world.owner)
        seen = [await floor.state()]
        await floor.turn()
        seen.append(await floor.state())
        await first.beat(report(old, P.EXITED, exit_code=0))
        assert [*seen, await floor.state()] == ["REMOVING", "REMOVING", "SLEEPING"]


class TestLifetime:
    async def test_server_is_emptied_before_its_lifetime_ends(self, floor: Floor, clock: ManualClock) -> None:
        brief = await server(floor.client, floor.world, "brief", maxServerLifetimeMinutes=60)
        await floor.client.post(f"{MODEL}/instances", json=1, headers=floor.world.owner)
        old = await floor.started(brief)
        clock.advance(timedelta(minutes=53))
        await brief.beat(report(old, P.RUNNING))
        await floor.turn()
        assert await floor.statuses() == {"brief": "RUNNING"}
        clock.advance(timedelta(minutes=1))
        second = await server(floor.client, floor.world, "second")
        await brief.beat(report(old, P.RUNNING))
        await floor.turn()
        assert (await floor.statuses())["brief"] == "DELETING"
        new = await floor.started(second)
        await floor.turn()
        await brief.beat(report(old, P.EXITED, exit_code=0))
        await floor.turn()
        assert await floor.statuses() == {"brief": "STOPPED", "second": "RUNNING"}
        clock.advance(timedelta(minutes=6))
        await second.beat(report(new, P.RUNNING))
        await floor.turn()
        assert await floor.statuses() == {"second": "RUNNING"}
        assert list(await floor.rows()) == [new]


class TestLabels:
    async def test_labels_of_the_configuration_decide_where_instances_go(self, floor: Floor, first: AgentTwin) -> None:
        limits = {"cpuRequest": "100m", "memoryLimit": "100Mi", "ephemeralDiskLimit": "10Mi"}
        for labels, placed in (({"zone": "b"}, []), ({"zone": "a"}, ["first"])):
            current = (await floor.client.get(MODEL, headers=floor.world.owner)).json()
            body = {"modelName": current["modelName"], "resourceLimits": limits | {"serverLabels": labels}}
            changed = await floor.client.post(MODEL, json=body, headers=floor.world.owner)
            assert changed.status_code == 200, changed.text
            await floor.client.post(f"{MODEL}/instances", json=1, headers=floor.world.owner)
            await floor.turn()
            names = [row["serverName"] for row in (await floor.rows()).values() if row["serverName"]]
            assert names == placed
