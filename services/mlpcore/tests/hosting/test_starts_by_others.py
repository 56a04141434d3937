"""Callers of other accounts may ask for a start of a service whose owner lets others test it."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta

import httpx
import pytest

from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.waiting import eventually
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
SINGLE = f"{MODEL}/instances/single"
_SOON = 15.0
"""Seconds; a request that waits for the start timeout takes 25."""
Told = Callable[..., Awaitable[None]]


async def publish(client: httpx.AsyncClient, world: World, **data: object) -> None:
    body = {"isPublic": True, "publicTestingAllowed": True, **data}
    answer = await client.post(f"{MODEL}/public-settings", json=body, headers=world.owner)
    assert answer.status_code == 200, answer.text


class TestStart:
    async def test_public_service_is_started_once(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await publish(client, publisher)
        for _ in range(3):
            answer = await client.post(SINGLE, headers=publisher.stranger)
            assert (answer.status_code, answer.content) == (200, b"")
        assert len(await agent.beat()) == 1
        entries = (await client.get(f"{MODEL}/logs", headers=publisher.owner)).json()
        asked = [entry["args"] for entry in entries if entry["code"] == "WAKE_UP"]
        assert asked == [{"causeAccountId": publisher.globex.account_id}]

    async def test_least_number_of_instances_is_started(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await publish(client, publisher)
        changed = {"modelName": "greeting", "minInstancesCount": 2}
        assert (await client.post(MODEL, json=changed, headers=publisher.owner)).status_code == 200
        assert (await client.post(SINGLE, headers=publisher.stranger)).status_code == 200
        assert len(await agent.beat()) == 2

    @pytest.mark.parametrize("settings", [{"publicTestingAllowed": False}, {"isPublic": False}])
    async def test_others_may_not_start_what_they_may_not_test(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, settings: dict[str, bool]
    ) -> None:
        await publish(client, publisher, **settings)
        missing = MODEL.replace("greeting", "nothing")
        for path in (f"{MODEL}/status", f"{missing}/status"):
            answer = await client.get(path, headers=publisher.stranger)
            assert (answer.status_code, answer.json()["code"]) == (403, "account.access.denied")
        assert (await client.post(SINGLE, headers=publisher.stranger)).status_code == 403
        assert (await client.post(SINGLE)).status_code == 401
        assert await agent.beat() == {}

    async def test_limit_of_the_owner_is_not_told(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await publish(client, publisher)
        limits = (await client.get("/api/mlpcore/account/acme", headers=publisher.owner)).json()["limits"]
        path = f"/api/mlpcore/admin/account/{publisher.acme.account_id}/limits"
        none = {**limits, "baseModelInstanceLimit": 0}
        assert (await client.post(path, json=none, headers=publisher.admin)).status_code == 200
        answer = await client.post(SINGLE, headers=publisher.stranger)
        assert (answer.status_code, answer.json()["code"], answer.json()["args"]) == (403, "mlp.gate.access_denied", {})
        assert await agent.beat() == {}

    async def test_prototype_is_not_started(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await publish(client, publisher)
        body = {"modelName": "greeting", "prototype": True}
        assert (await client.post(MODEL, json=body, headers=publisher.owner)).status_code == 200
        answer = await client.post(SINGLE, headers=publisher.stranger)
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.prototype_not_started")
        assert await agent.beat() == {}


class TestWaitStart:
    """The requests run while the test plays agent and gate, so a request that waits for nothing ends first."""

    async def wait_start(self, client: httpx.AsyncClient, world: World, **settings: object) -> None:
        body = {"modelName": "greeting", "waitStart": True, **settings}
        assert (await client.post(MODEL, json=body, headers=world.owner)).status_code == 200

    async def given(self, agent: AgentTwin) -> list[int]:
        async def numbers() -> list[int]:
            return sorted(await agent.beat())

        return await eventually(numbers)

    @pytest.mark.parametrize(("path", "body"), [("instances/single", None), ("instance/start", None), ("instances", 1)])
    async def test_answer_comes_when_the_instance_is_connected(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, gate: GateTwin, told: Told,
        path: str, body: object,
    ) -> None:  # fmt: skip
        await self.wait_start(client, publisher)
        asked = asyncio.create_task(client.post(f"{MODEL}/{path}", json=body, headers=publisher.owner))
        (number,) = await self.given(agent)
        status = (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()
        assert (status["state"], asked.done()) == ("STARTING", False)
        await told(gate.connected(number))
        answer = await asked
        assert (answer.status_code, answer.content) == (200, b"")

    async def test_first_connected_instance_is_enough_for_others(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, gate: GateTwin, told: Told
    ) -> None:
        await publish(client, publisher)
        await self.wait_start(client, publisher, minInstancesCount=2)
        asked = asyncio.create_task(client.post(SINGLE, headers=publisher.stranger))
        first, _ = await self.given(agent)
        await told(gate.connected(first))
        assert (await asked).status_code == 200

    async def test_failed_start_is_answered(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await self.wait_start(client, publisher)
        asked = asyncio.create_task(client.post(SINGLE, headers=publisher.owner))
        (number,) = await self.given(agent)
        assert not asked.done()
        await agent.beat(report(number, ReportedPhase.BACKOFF, exit_code=1))
        async with asyncio.timeout(_SOON):
            assert (await asked).status_code == 200

    async def test_start_timeout_ends_the_wait(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await self.wait_start(client, publisher, timeouts={"podStartTimeoutSec": 1})
        asked = asyncio.create_task(client.post(SINGLE, headers=publisher.owner))
        await self.given(agent)
        assert not asked.done()
        async with asyncio.timeout(_SOON):
            assert (await asked).status_code == 200

    async def test_stop_of_all_instances_is_answered_at_once(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await self.wait_start(client, publisher)
        async with asyncio.timeout(_SOON):
            assert (await client.post(f"{MODEL}/instances", json=0, headers=publisher.owner)).status_code == 200


class TestStatus:
    async def test_others_see_the_state_and_the_time_of_a_start(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, clock: ManualClock
    ) -> None:
        await publish(client, publisher)
        body = {"modelName": "greeting", "startTimeSec": 42}
        assert (await client.post(MODEL, json=body, headers=publisher.owner)).status_code == 200
        await client.post(SINGLE, headers=publisher.stranger)
        clock.advance(timedelta(seconds=1))
        await agent.beat(*(report(number, ReportedPhase.RUNNING) for number in await agent.beat()))
        shown = (await client.get(f"{MODEL}/status", headers=publisher.stranger)).json()
        start = shown.pop("start")
        assert shown == {
            "state": "STARTING", "instances": None, "lastJob": None, "startTimeSeconds": 42.0, "waiting": None
        }  # fmt: skip
        assert (start["phase"], start["usualSeconds"]) == ("CONNECTING", 42)
        whole = (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()
        assert whole["instances"]["hostingServerRequested"] == 1
        assert whole["lastJob"] is not None
