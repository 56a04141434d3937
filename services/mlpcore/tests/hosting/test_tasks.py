"""Tasks that show the changes of instances."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from mlpcore import registry
from mlpcore.features.instances.reconciler import Reconciler
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.state import CoreState
from mlplace_contracts.internal.hosting import ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.identities import Identities
from mlplace_testing.world import World

MODEL = "/api/mlpcore/account/acme/model/greeting"
TASKS = "/api/mlpcore/task"
P = ReportedPhase
DRAINED = 21  # seconds: longer than a stopped instance gets to finish its calls
Told = Callable[..., Awaitable[None]]


@pytest.fixture
def runner(state: CoreState) -> TaskRunner:
    return TaskRunner(state, registry.TASKS)


class Floor:
    """Controls what the tests need: the model, its server, its gate, and the task runner."""

    def __init__(
        self, client: httpx.AsyncClient, world: World, agent: AgentTwin, gate: GateTwin, told: Told, runner: TaskRunner,
        clock: ManualClock,
    ) -> None:  # fmt: skip
        self._client, self._agent, self._gate, self._told = client, agent, gate, told
        self._runner, self._clock = runner, clock
        self.owner = world.owner

    async def scale(self, count: int) -> None:
        answer = await self._client.post(f"{MODEL}/instances", json=count, headers=self.owner)
        assert answer.status_code == 200, answer.text

    async def connect(self, *numbers: int, generation: int = 2) -> None:
        for number in numbers:
            await self._told(self._gate.connected(number))
            await self._agent.beat(report(number, P.RUNNING, generation=generation))

    async def end(self, *numbers: int) -> None:
        await self._agent.beat(*(report(number, P.EXITED, exit_code=0) for number in numbers))

    async def wanted(self) -> list[int]:
        """Returns the instances that the server should run and not stop."""
        return sorted(number for number, one in (await self._agent.beat()).items() if not one.stop)

    async def turn(self, seconds: float = 6) -> None:
        """Advances the clock and runs due tasks."""
        self._clock.advance(timedelta(seconds=seconds))
        await self._runner.turn()

    async def tasks(self) -> list[dict[str, Any]]:
        answer = await self._client.get(f"{TASKS}/short", headers=self.owner)
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()
        return found

    async def newest(self) -> dict[str, Any]:
        return (await self.tasks())[0]

    async def stop(self, task_id: str) -> httpx.Response:
        return await self._client.post(f"{TASKS}/{task_id}/stop", headers=self.owner)

    async def news(self) -> list[tuple[str | None, str, str]]:
        answer = await self._client.get("/api/mlpcore/account/acme/notification", headers=self.owner)
        return [(one["operationType"], one["severity"], one["textMessage"]) for one in answer.json()]


@pytest.fixture
def floor(
    client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, gate: GateTwin, told: Told,
    runner: TaskRunner, clock: ManualClock,
) -> Floor:  # fmt: skip
    return Floor(client, publisher, agent, gate, told, runner, clock)


class TestStart:
    async def test_progress_follows_the_instances(self, floor: Floor) -> None:
        await floor.scale(2)
        first, second = await floor.wanted()
        await floor.turn()
        task = await floor.newest()
        assert (task["operation"], task["viewStatus"], task["percentage"]) == ("RUN", "RUN", 50.0)
        assert (task["currentStep"], task["operatedEntity"]["name"]) == ("Starting instances", "model")
        await floor.connect(first)
        await floor.turn()
        assert (await floor.newest())["percentage"] == 75.0
        await floor.connect(first, second)
        await floor.turn()
        task = await floor.newest()
        assert (task["viewStatus"], task["percentage"], task["isInterruptible"]) == ("COMPLETED", 100.0, False)
        assert (await floor.news())[0] == ("RUN", "INFO", "Start of greeting completed")

    async def test_start_beyond_the_timeout_fails_and_keeps_the_instances(self, floor: Floor) -> None:
        await floor.scale(1)
        await floor.turn()
        await floor.turn(121)
        task = await floor.newest()
        assert (task["viewStatus"], task["errorMessage"]) == ("FAILED", "not connected within 120 seconds")
        assert len(await floor.wanted()) == 1
        assert (await floor.news())[0][1] == "ERROR"

    async def test_repeatedly_failing_instance_fails_the_task_with_its_message(
        self, floor: Floor, agent: AgentTwin
    ) -> None:
        await floor.scale(1)
        (number,) = await floor.wanted()
        await agent.beat(report(number, P.BACKOFF, restart_count=2, exit_code=3, reason="Error", message="no licence"))
        await floor.turn()
        assert (await floor.newest())["errorMessage"] == f"instance {number}: no licence"
        await agent.beat(report(number, P.BACKOFF, restart_count=3, exit_code=3, reason="Error", message="no licence"))
        told = [text for operation, _, text in await floor.news() if operation is None]
        assert told == [f"Instance {number}: no licence"]

    async def test_start_by_a_call_is_a_wake_up(self, floor: Floor, client: httpx.AsyncClient) -> None:
        for _ in range(2):
            assert (await client.post(f"{MODEL}/instances/single", headers=floor.owner)).status_code == 200
        assert [task["operation"] for task in await floor.tasks()] == ["WAKE_UP"]

    async def test_stopped_start_takes_back_its_request(self, floor: Floor) -> None:
        await floor.scale(1)
        (first,) = await floor.wanted()
        await floor.connect(first)
        await floor.turn()
        await floor.scale(3)
        await floor.turn()
        task = await floor.newest()
        assert (task["operation"], task["isInterruptible"]) == ("SCALE_UP", True)
        assert (await floor.stop(task["jobId"])).status_code == 200
        assert (await floor.newest())["viewStatus"] == "REVERTING"
        await floor.turn()
        task = await floor.newest()
        assert (task["viewStatus"], task["interrupted"]) == ("REVERTED", True)
        assert await floor.wanted() == [first]

    async def test_next_change_replaces_the_task(self, floor: Floor) -> None:
        await floor.scale(1)
        await floor.turn()
        await floor.scale(0)
        assert [task["operation"] for task in await floor.tasks()] == ["SCALE_DOWN"]


class TestRush:
    async def test_concurrent_changes_do_not_deadlock_and_leave_one_task(
        self, floor: Floor, runner: TaskRunner, client: httpx.AsyncClient
    ) -> None:
        await floor.scale(1)
        numbers = await floor.wanted()
        await floor.connect(*numbers)
        for _ in range(3):
            restart = client.post(f"{MODEL}/rolling-update", headers=floor.owner)
            changes = [client.post(f"{MODEL}/instances", json=n, headers=floor.owner) for n in (2, 3, 1)]
            answers = await asyncio.gather(restart, *changes, return_exceptions=True)
            await asyncio.gather(floor.turn(), runner.turn())
            assert [getattr(answer, "status_code", answer) for answer in answers] == [200] * 4
        unfinished = [task for task in await floor.tasks() if task["viewStatus"] in {"IDLE", "RUN", "REVERTING"}]
        assert len(unfinished) <= 1


class TestStop:
    async def test_task_lasts_until_the_instances_have_ended_and_cannot_be_stopped(self, floor: Floor) -> None:
        await floor.scale(1)
        (number,) = await floor.wanted()
        await floor.connect(number)
        await floor.turn()
        await floor.scale(0)
        await floor.turn()
        task = await floor.newest()
        assert (task["operation"], task["percentage"], task["isInterruptible"]) == ("SCALE_DOWN", 50.0, False)
        refused = await floor.stop(task["jobId"])
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.core.task_not_interruptible")
        await floor.end(number)
        await floor.turn()
        assert (await floor.newest())["viewStatus"] == "COMPLETED"

    async def test_stop_of_one_instance_names_the_instance(self, floor: Floor, client: httpx.AsyncClient) -> None:
        await floor.scale(1)
        (number,) = await floor.wanted()
        await client.post(f"{MODEL}/instance/{number}/stop", headers=floor.owner)
        task = await floor.newest()
        assert (task["operation"], task["operatedEntity"]["key"]["instanceId"]) == ("REMOVE", number)

    async def test_deletion_of_the_model_is_a_removal(self, floor: Floor, client: httpx.AsyncClient) -> None:
        assert (await client.delete(MODEL, headers=floor.owner)).status_code == 200
        await floor.turn()
        task = await floor.newest()
        assert (task["operation"], task["viewStatus"]) == ("REMOVE", "COMPLETED")


class TestExchange:
    async def running(self, floor: Floor, count: int) -> list[int]:
        await floor.scale(count)
        numbers = await floor.wanted()
        await floor.connect(*numbers)
        await floor.turn()
        return numbers

    async def begin(self, floor: Floor, client: httpx.AsyncClient) -> None:
        answer = await client.post(f"{MODEL}/rolling-update", headers=floor.owner)
        assert answer.status_code == 200, answer.text

    async def test_instances_are_replaced_one_by_one_without_a_gap(
        self, floor: Floor, client: httpx.AsyncClient, reconciler: Reconciler
    ) -> None:
        old = await self.running(floor, 2)
        await self.begin(floor, client)
        await floor.turn()
        for gone in old:
            await reconciler.turn()
            present = await floor.wanted()
            assert len(present) == 3
            await floor.connect(max(present))
            await floor.turn()
            await floor.turn(DRAINED)
            assert gone not in await floor.wanted()
            await floor.end(gone)
            await floor.turn()
            await floor.turn()
        task = await floor.newest()
        assert (task["operation"], task["viewStatus"], task["percentage"]) == ("RELOAD", "COMPLETED", 100.0)
        assert [child["viewStatus"] for child in task["children"]] == ["COMPLETED", "COMPLETED"]
        assert task["children"][1]["waitFor"] == [task["children"][0]["jobId"]]
        assert not set(old) & set(await floor.wanted())
        assert len(await floor.wanted()) == 2

    async def test_without_room_for_both_the_old_instance_stops_first(
        self, floor: Floor, client: httpx.AsyncClient, world: World, reconciler: Reconciler
    ) -> None:
        (old,) = await self.running(floor, 1)
        limits = (await client.get("/api/mlpcore/account/acme", headers=floor.owner)).json()["limits"]
        tight = {**limits, "baseModelInstanceLimit": 1}
        await client.post(f"/api/mlpcore/admin/account/{world.acme.account_id}/limits", json=tight, headers=world.admin)
        await self.begin(floor, client)
        await floor.turn()
        await reconciler.turn()
        await floor.turn(DRAINED)
        (fresh,) = await floor.wanted()
        assert fresh != old
        await floor.end(old)
        await floor.turn()
        assert (await floor.newest())["viewStatus"] == "RUN"
        await floor.connect(fresh)
        await floor.turn()
        await floor.turn()
        assert (await floor.newest())["viewStatus"] == "COMPLETED"

    async def test_stopped_exchange_keeps_the_old_instances(
        self, floor: Floor, client: httpx.AsyncClient, reconciler: Reconciler
    ) -> None:
        old = await self.running(floor, 2)
        await self.begin(floor, client)
        await floor.turn()
        assert len(await floor.wanted()) == 3
        await floor.stop((await floor.newest())["jobId"])
        await floor.turn()
        await floor.turn()
        task = await floor.newest()
        assert (task["viewStatus"], [c["viewStatus"] for c in task["children"]]) == ("REVERTED", ["REVERTED"] * 2)
        await reconciler.turn()
        assert await floor.wanted() == old

    async def test_unconnected_replacement_fails_the_exchange_and_keeps_the_old_instances(
        self, floor: Floor, client: httpx.AsyncClient
    ) -> None:
        old = await self.running(floor, 2)
        await self.begin(floor, client)
        await floor.turn()
        await floor.turn(121)
        for _ in range(3):
            await floor.turn()
        task = await floor.newest()
        assert (task["viewStatus"], [c["viewStatus"] for c in task["children"]]) == ("FAILED", ["FAILED", "REVERTED"])
        assert task["errorMessage"].startswith(f"greeting #{old[0]}: not connected within 120 seconds")
        assert await floor.wanted() == old


class TestExchangeEverywhere:
    URL = "/api/mlpcore/admin/instances/rolling-update"

    async def test_each_model_gets_a_task(
        self, floor: Floor, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        await floor.scale(1)
        admin = identities.user(world.globex, superadmin=True)
        answer = await client.post(self.URL, headers=admin)
        assert (answer.status_code, answer.json()) == (200, "1 services")
        await floor.turn()
        assert [task["operation"] for task in await floor.tasks()] == ["RELOAD"]
        (mine,) = (await client.get(f"{TASKS}/short", headers=admin)).json()
        assert (mine["operatedEntityName"], mine["viewStatus"]) == ("globex", "COMPLETED")

    async def test_kubernetes_filter_matches_no_model(
        self, floor: Floor, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        await floor.scale(1)
        admin = identities.user(world.globex, superadmin=True)
        assert (await client.post(self.URL, params={"onlyK8s": "true"}, headers=admin)).json() == "0 services"
        assert (await client.post(self.URL, headers=world.owner)).status_code == 403


class TestLastTask:
    async def test_last_task_is_shown_with_the_model(self, floor: Floor, client: httpx.AsyncClient) -> None:
        missing = await client.get(f"{MODEL}/last-job", headers=floor.owner)
        assert (missing.status_code, missing.json()["code"]) == (404, "mlp.core.not_found")
        await floor.scale(1)
        last = (await client.get(f"{MODEL}/last-job", headers=floor.owner)).json()
        assert (last["jobType"], last["state"], last["done"], last["error"]) == ("RUN", "IDLE", False, False)
        status = (await client.get(f"{MODEL}/status", headers=floor.owner)).json()
        assert status["lastJob"] == last
