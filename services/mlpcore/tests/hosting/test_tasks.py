"""Tasks that show the changes of instances."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

import httpx
import pytest

from mlpcore import registry
from mlpcore.features.instances.loops.reconciler import Reconciler
from mlpcore.features.tasks.runner import TaskRunner
from mlpcore.state import CoreState
from mlplace_contracts.enums import KeyPermission
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

    async def stopped_first(self, floor: Floor, client: httpx.AsyncClient, reconciler: Reconciler, old: int) -> str:
        """Replaces the instance, which ends before its replacement starts. Returns the reason that people see."""
        await self.begin(floor, client)
        await floor.turn()
        await reconciler.turn()
        await floor.turn()
        await floor.turn(DRAINED)
        assert old not in await floor.wanted()
        await floor.end(old)
        await reconciler.turn()
        (fresh,) = await floor.wanted()
        await floor.turn()
        assert (await floor.newest())["viewStatus"] == "RUN"
        await floor.connect(fresh)
        await floor.turn()
        await floor.turn()
        assert (await floor.newest())["viewStatus"] == "COMPLETED"
        seen = (await client.get(f"{MODEL}/instance/{old}/events", headers=floor.owner)).json()["events"]
        (event,) = [event for event in seen if event["reason"] == "StopsFirst"]
        logs = (await client.get(f"{MODEL}/logs", headers=floor.owner)).json()
        (entry,) = [entry for entry in logs if entry["code"] == "INSTANCE_STOPS_FIRST"]
        assert (event["type"], entry["level"], entry["args"]["instanceId"]) == ("Warning", "WARNING", old)
        assert event["message"] == f"Instance {old} stops before its replacement starts: {entry['args']['reason']}"
        return str(entry["args"]["reason"])

    async def allow(self, floor: Floor, client: httpx.AsyncClient, world: World, **limits: object) -> None:
        read = (await client.get("/api/mlpcore/account/acme", headers=floor.owner)).json()["limits"]
        path = f"/api/mlpcore/admin/account/{world.acme.account_id}/limits"
        answer = await client.post(path, json={**read, **limits}, headers=world.admin)
        assert answer.status_code == 200, answer.text

    @pytest.mark.parametrize(
        ("limits", "reason"),
        [
            (
                {"baseModelInstanceLimit": 1},
                "the account's baseModelInstanceLimit is 1; 1 run or wait, external connections included",
            ),
            ({"cpuLimit": "150m"}, "the account's cpuLimit is 150m; 100m is in use and 100m more is needed"),
        ],
    )
    async def test_without_room_in_a_limit_for_both_the_old_instance_stops_first(
        self, floor: Floor, client: httpx.AsyncClient, world: World, reconciler: Reconciler, limits: dict[str, object],
        reason: str,
    ) -> None:  # fmt: skip
        (old,) = await self.running(floor, 1)
        await self.allow(floor, client, world, **limits)
        assert await self.stopped_first(floor, client, reconciler, old) == reason

    async def test_without_room_on_a_server_for_both_the_old_instance_stops_first(
        self, floor: Floor, client: httpx.AsyncClient, agent: AgentTwin, reconciler: Reconciler
    ) -> None:
        body = {"modelName": "greeting", "resourceLimits": {"memoryLimit": "3000Mi", "cpuRequest": "100m"}}
        assert (await client.post(MODEL, json=body, headers=floor.owner)).status_code == 200
        (old,) = await self.running(floor, 1)
        assert await self.stopped_first(floor, client, reconciler, old) == "1 server: 1 lacks 1.95 GiB of memory"

    async def test_old_instance_stays_until_the_replacement_is_connected_to_each_of_its_gates(
        self, floor: Floor, client: httpx.AsyncClient, told: Told, gate: GateTwin, reconciler: Reconciler
    ) -> None:
        (old,) = await self.running(floor, 1)
        await told(gate.connected(old, gate="gate:2"))
        await self.begin(floor, client)
        await floor.turn()
        await reconciler.turn()
        fresh = max(await floor.wanted())
        await floor.connect(fresh)
        await floor.turn()
        await floor.turn(DRAINED)
        assert await floor.wanted() == [old, fresh]
        await told(gate.connected(fresh, gate="gate:2"))
        await floor.turn()
        await floor.turn(DRAINED)
        assert await floor.wanted() == [fresh]

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


ALL = {"onlyK8s": "false"}


class TestExchangeEverywhere:
    URL = "/api/mlpcore/admin/instances/rolling-update"

    async def test_each_model_gets_a_task(
        self, floor: Floor, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        await floor.scale(1)
        admin = identities.user(world.globex, superadmin=True)
        answer = await client.post(self.URL, params=ALL, headers=admin)
        assert (answer.status_code, answer.json()) == (200, "1 services")
        await floor.turn()
        assert [task["operation"] for task in await floor.tasks()] == ["RELOAD"]
        (mine,) = (await client.get(f"{TASKS}/short", headers=admin)).json()
        assert (mine["operatedEntityName"], mine["viewStatus"]) == ("globex", "RUN")
        await floor.turn(121)  # the replacement does not start: its task fails, and at the end the whole one
        for _ in range(4):
            await floor.turn()
        (mine,) = (await client.get(f"{TASKS}/short", headers=admin)).json()
        assert mine["viewStatus"] == "FAILED"
        assert mine["errorMessage"].startswith("1 of 1 did not complete; greeting")

    async def test_stop_stops_what_it_has_begun(
        self, floor: Floor, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        await floor.scale(1)
        (old,) = await floor.wanted()
        await floor.connect(old)
        admin = identities.user(world.globex, superadmin=True)
        await client.post(self.URL, params=ALL, headers=admin)
        await floor.turn()
        await floor.turn()
        assert len(await floor.wanted()) == 2
        (mine,) = (await client.get(f"{TASKS}/short", headers=admin)).json()
        assert (await client.post(f"{TASKS}/{mine['jobId']}/stop", headers=admin)).status_code == 200
        for _ in range(4):
            await floor.turn()
        (mine,) = (await client.get(f"{TASKS}/short", headers=admin)).json()
        assert (mine["viewStatus"], (await floor.newest())["viewStatus"]) == ("REVERTED", "REVERTED")
        assert await floor.wanted() == [old]

    async def test_without_a_choice_only_models_on_kubernetes_are_replaced(
        self, floor: Floor, client: httpx.AsyncClient, world: World, identities: Identities
    ) -> None:
        await floor.scale(1)
        admin = identities.user(world.globex, superadmin=True)
        await client.post(self.URL, params=ALL, headers=admin)
        assert (await client.post(self.URL, headers=admin)).json() == "0 services"
        (mine,) = (await client.get(f"{TASKS}/short", headers=admin)).json()
        assert mine["viewStatus"] != "REPLACED"
        assert (await client.post(self.URL, headers=world.owner)).status_code == 403


class TestExchangeOfAnImage:
    async def url(self, client: httpx.AsyncClient, floor: Floor, account: str = "acme") -> str:
        (image,) = (await client.get("/api/mlpcore/account/acme/image-v2", headers=floor.owner)).json()["records"]
        return f"/api/mlpcore/account/{account}/image/{image['id']['imageId']}"

    async def test_instances_of_the_image_are_replaced(self, floor: Floor, client: httpx.AsyncClient) -> None:
        await floor.scale(1)
        (old,) = await floor.wanted()
        await floor.connect(old)
        url = await self.url(client, floor)
        answer = await client.post(f"{url}/models-restart", headers=floor.owner)
        assert (answer.status_code, answer.content) == (200, b"")
        await floor.turn()
        await floor.turn()
        fresh = max(await floor.wanted())
        assert fresh != old
        await floor.connect(fresh)
        await floor.turn()
        await floor.turn(DRAINED)
        await floor.end(old)
        for _ in range(3):
            await floor.turn()
        whole, part = sorted(await floor.tasks(), key=lambda task: task["operatedEntityName"] == "acme")[-2:]
        assert {task["viewStatus"] for task in (whole, part)} == {"COMPLETED"}
        assert await floor.wanted() == [fresh]
        newest = (await client.get(f"{url}/logs", headers=floor.owner)).json()[0]
        assert (newest["code"], newest["args"]) == ("MODELS_RESTARTED", {"name": "greeting", "services": 1})

    async def test_services_of_other_accounts_stay(self, floor: Floor, client: httpx.AsyncClient, world: World) -> None:
        """Whoever publishes an image restarts nobody else's services with it."""
        url = await self.url(client, floor)
        number = int(url.rpartition("/")[2])
        public = {"name": "greeting", "image": "acme/greeting:1", "accessMode": "public"}
        assert (await client.post(url, json=public, headers=floor.owner)).status_code == 200
        body = {
            "modelName": "copy", "imageId": number, "imageAccountId": world.acme.account_id, "hostingType": "INTERNAL"
        }  # fmt: skip
        theirs = "/api/mlpcore/account/globex/model"
        assert (await client.post(theirs, json=body, headers=world.stranger)).status_code == 200
        assert (await client.post(f"{theirs}/copy/instances", json=1, headers=world.stranger)).status_code == 200
        await client.post(f"{url}/models-restart", headers=floor.owner)
        await floor.turn()
        await floor.turn()
        tasks = (await client.get(f"{TASKS}/short", headers=world.stranger)).json()
        assert [task["operation"] for task in tasks] == ["RUN"]
        assert (await client.get(f"{url}/logs", headers=floor.owner)).json()[0]["args"]["services"] == 0

    async def test_key_limited_to_models_restarts_only_those(
        self, floor: Floor, client: httpx.AsyncClient, world: World, identities: Identities, model_id: int
    ) -> None:
        url = await self.url(client, floor)
        body = {
            "modelName": "other", "imageId": int(url.rpartition("/")[2]), "imageAccountId": world.acme.account_id,
            "hostingType": "INTERNAL",
        }  # fmt: skip
        made = await client.post("/api/mlpcore/account/acme/model", json=body, headers=floor.owner)
        other = made.json()["id"]["modelId"]
        for path in (MODEL, f"{MODEL.removesuffix('greeting')}other"):
            assert (await client.post(f"{path}/instances", json=1, headers=floor.owner)).status_code == 200
        write = (KeyPermission.READ, KeyPermission.WRITE)
        counts: list[int] = []
        for allowed in ((other,), (), (model_id, other), None):
            key = identities.api_key(world.acme, permissions=write, allowed_models=allowed)
            assert (await client.post(f"{url}/models-restart", headers=key)).status_code == 200
            counts.append((await client.get(f"{url}/logs", headers=floor.owner)).json()[0]["args"]["services"])
            if len(counts) == 1:
                await floor.turn()
                begun = [
                    t["operatedEntity"]["key"]["modelId"] for t in await floor.tasks() if t["operation"] == "RELOAD"
                ]
                assert set(begun) <= {other, None}
                assert other in begun
        assert counts == [1, 0, 2, 2]

    async def test_only_developers_of_the_account(self, floor: Floor, client: httpx.AsyncClient, world: World) -> None:
        url, foreign = await self.url(client, floor), await self.url(client, floor, "globex")
        for headers, status in (({}, 401), (world.user, 403), (world.stranger, 403)):
            assert (await client.post(f"{url}/models-restart", headers=headers)).status_code == status
        assert (await client.post(f"{foreign}/models-restart", headers=world.stranger)).status_code == 404
        assert (await client.get(f"{foreign}/logs", headers=world.stranger)).status_code == 404
        assert (await client.get(f"{url}/logs", headers=world.stranger)).status_code == 403
        assert (await client.get(f"{url}/logs", headers=world.user)).status_code == 200


class TestLastTask:
    async def test_last_task_is_shown_with_the_model(self, floor: Floor, client: httpx.AsyncClient) -> None:
        missing = await client.get(f"{MODEL}/last-job", headers=floor.owner)
        assert (missing.status_code, missing.json()["code"]) == (404, "mlp.core.not_found")
        await floor.scale(1)
        last = (await client.get(f"{MODEL}/last-job", headers=floor.owner)).json()
        assert (last["jobType"], last["state"], last["done"], last["error"]) == ("RUN", "IDLE", False, False)
        status = (await client.get(f"{MODEL}/status", headers=floor.owner)).json()
        assert status["lastJob"] == last

    async def test_stopped_task_is_no_success(self, floor: Floor, client: httpx.AsyncClient) -> None:
        await floor.scale(1)
        await floor.turn()
        await floor.stop((await floor.newest())["jobId"])
        await floor.turn()
        last = (await client.get(f"{MODEL}/last-job", headers=floor.owner)).json()
        assert (last["state"], last["done"], last["error"]) == ("REVERTED", True, True)
        assert last["errorMessage"] == "the task was stopped"

    async def test_completed_task_is_a_success(self, floor: Floor, client: httpx.AsyncClient) -> None:
        await floor.scale(1)
        await floor.connect(*await floor.wanted())
        await floor.turn()
        last = (await client.get(f"{MODEL}/last-job", headers=floor.owner)).json()
        assert (last["state"], last["done"], last["error"], last["errorMessage"]) == ("COMPLETED", True, False, None)
