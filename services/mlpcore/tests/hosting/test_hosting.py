import asyncio
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta

import httpx
import pytest

from mlpcore.features.instances.loops.reconciler import Reconciler
from mlplace_contracts.events import InstanceChanged
from mlplace_contracts.internal.hosting import DataMount, Enrolled, LogChunk, ReportedPhase
from mlplace_kit.clock import ManualClock
from mlplace_runtime.db.database import Database
from mlplace_testing.agents import AgentTwin, GateTwin, report
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.world import Teller, World, account_changed

MODEL = "/api/mlpcore/account/acme/model/greeting"
P = ReportedPhase
CAPACITY = {"milli_cpu": 1000, "ram_mb": 1024, "disk_mb": 1024, "gpu_models": []}
Told = Callable[..., Awaitable[None]]


async def scale(client: httpx.AsyncClient, world: World, count: object) -> httpx.Response:
    return await client.post(f"{MODEL}/instances", json=count, headers=world.owner)


async def rows(client: httpx.AsyncClient, world: World) -> list[dict[str, object]]:
    return (await client.get(f"{MODEL}/instance", headers=world.owner)).json()["instances"]


async def read(client: httpx.AsyncClient, world: World, number: int, what: str) -> dict[str, object]:
    answer = await client.get(f"{MODEL}/instance/{number}/{what}", headers=world.owner)
    assert answer.status_code == 200, answer.text
    return answer.json()


@pytest.fixture
async def running(
    client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, gate: GateTwin, told: Told
) -> int:
    """The id of an instance that runs on a server and is connected to a gate."""
    assert (await scale(client, publisher, 1)).status_code == 200
    (number,) = await agent.beat()
    await told(gate.connected(number))
    await agent.beat(report(number, P.RUNNING))
    return number


async def _change(client: httpx.AsyncClient, publisher: World, **fields: object) -> None:
    body = {"modelName": "greeting", **fields}
    answer = await client.post(MODEL, json=body, headers=publisher.owner)
    assert answer.status_code == 200, answer.text


async def _memory_used(client: httpx.AsyncClient, publisher: World) -> int:
    """Returns what the account's instances hold of its limit of memory, in MiB."""
    limits = (await client.get("/api/mlpcore/account/acme/limits/use", headers=publisher.owner)).json()
    return next(limit["used"] for limit in limits if limit["limit"] == "memoryLimit")


async def _mount(client: httpx.AsyncClient, publisher: World) -> str:
    """Lets the model mount a data image. Returns the path of the data image."""
    body = {"name": "weights", "image": "acme/weights:1", "sourcePath": "/w"}
    made = await client.post("/api/mlpcore/account/acme/data-image", json=body, headers=publisher.owner)
    ids = made.json()["id"]
    mount = {"dataImageAccountId": ids["accountId"], "dataImageId": ids["imageId"], "targetPath": "/data"}
    await _change(client, publisher, dataImageMounts=[mount])
    return f"/api/mlpcore/account/acme/data-image/{ids['imageId']}"


class TestScale:
    async def test_scaling_up_sends_the_instances_to_the_server(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        assert (await scale(client, publisher, 2)).status_code == 200
        desired = await agent.beat()
        assert len(desired) == 2
        wanted = next(iter(desired.values()))
        assert (wanted.image, wanted.model_id, wanted.stop) == ("acme/greeting:1", model_id, False)
        assert (wanted.memory_bytes, wanted.milli_cpu) == (500 * 2**20, 100)
        assert wanted.service_env == {"GREETING": "it's $HOME", "API_SECRET": "s"}
        assert wanted.platform_env["MLP_INSTANCE_ID"] == str(wanted.instance_id)
        assert "HOSTNAME" not in wanted.platform_env
        numbers = (await client.get(f"{MODEL}/instances", headers=publisher.owner)).json()
        assert (numbers["hostingServerRequested"], numbers["hostingServerActive"]) == (2, 0)

    async def test_numbers_are_those_of_the_hosting_type(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, gate: GateTwin,
        told: Callable[..., Awaitable[None]],
    ) -> None:  # fmt: skip
        await scale(client, publisher, 3)
        first, second, _ = sorted(await agent.beat())
        await agent.beat(report(first, ReportedPhase.REFUSED), report(second, ReportedPhase.RUNNING))
        await told(gate.connected(second))
        numbers = (await client.get(f"{MODEL}/instances", headers=publisher.owner)).json()
        assert numbers == {
            "internalRequested": 0, "internalActive": 0, "internalInError": 0,
            "hostingServerRequested": 3, "hostingServerActive": 1, "externalRequested": 0,
        }  # fmt: skip
        await _change(client, publisher, hostingType="INTERNAL")
        numbers = (await client.get(f"{MODEL}/instances", headers=publisher.owner)).json()
        assert numbers == {
            "internalRequested": 3, "internalActive": 1, "internalInError": 1,
            "hostingServerRequested": 0, "hostingServerActive": 0, "externalRequested": 0,
        }  # fmt: skip

    async def test_server_gets_the_mounts_of_data_images(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await _mount(client, publisher)
        await scale(client, publisher, 1)
        (wanted,) = (await agent.beat()).values()
        assert wanted.data_mounts == (DataMount(image="acme/weights:1", source_path="/w", target_path="/data"),)

    async def test_agent_of_an_earlier_release_does_not_start_what_needs_data_images(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await scale(client, publisher, 1)
        assert len((await agent.state(knows_mounts=False)).instances) == 1
        await _mount(client, publisher)
        assert (await agent.state(knows_mounts=False)).instances == ()
        assert len((await agent.state()).instances) == 1

    async def test_deleted_service_is_stopped_after_its_data_image_is_gone(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin
    ) -> None:
        data_image = await _mount(client, publisher)
        assert (await client.delete(MODEL, headers=publisher.owner)).status_code == 200
        assert (await client.delete(data_image, headers=publisher.owner)).status_code == 200
        (wanted,) = (await agent.beat(report(running, P.RUNNING))).values()
        assert (wanted.instance_id, wanted.data_mounts) == (running, ())

    async def test_instance_without_a_server_waits_and_shows_the_reason(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        await scale(client, publisher, 1)
        (row,) = await rows(client, publisher)
        assert (row["serverId"], row["statusInfo"]["totalStatus"]) == (None, "WAITING")  # type: ignore[index]
        state = await read(client, publisher, int(str(row["id"])), "laststate")
        assert state["waiting"] == {"reason": "NoServerAvailable", "message": None, "details": None}

    async def test_later_server_gets_waiting_instances(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        reconciler: Reconciler,
    ) -> None:
        await scale(client, publisher, 1)
        made = await client.post(
            "/internal/mlpcore/bootstrap/server",
            json={"groupName": "default", "serverName": "late"},
            headers=publisher.internal,
        )
        token = made.json()["enrolmentToken"]
        answer = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": token})
        agent = AgentTwin(client, Enrolled.model_validate_json(answer.content))
        assert await agent.beat() == {}
        await reconciler.turn()
        assert len(await agent.beat()) == 1

    async def test_scaling_down_stops_unconnected_instances_first(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin, database: Database
    ) -> None:
        await scale(client, publisher, 3)
        await agent.beat(report(running, P.RUNNING))
        await scale(client, publisher, 1)
        desired = await agent.beat(report(running, P.RUNNING))
        assert [number for number, wanted in desired.items() if not wanted.stop] == [running]
        assert [event.accepts_connections for event in (await published(database, InstanceChanged))[-2:]] == [False] * 2

    async def test_refused_instance_goes_and_gives_its_room_back(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await scale(client, publisher, 1)
        (number,) = await agent.beat()
        await agent.beat(report(number, P.REFUSED))
        assert (await _memory_used(client, publisher)) == 500
        await scale(client, publisher, 0)
        await agent.beat(report(number, P.REFUSED))
        assert await rows(client, publisher) == []
        assert (await _memory_used(client, publisher)) == 0

    @pytest.mark.parametrize("body", [-1, 1001, "2", 1.5, None, [1], True, 10**30])
    async def test_invalid_count_is_refused(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, body: object
    ) -> None:
        assert (await scale(client, publisher, body)).status_code == 400

    async def test_external_model_cannot_be_scaled(
        self, client: httpx.AsyncClient, publisher: World, model_id: int
    ) -> None:
        await _change(client, publisher, hostingType="EXTERNAL")
        answer = await scale(client, publisher, 1)
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.hosting_type_unavailable")

    async def test_model_of_the_default_hosting_type_runs_on_servers_of_its_group(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await _change(client, publisher, hostingType="INTERNAL")
        assert (await scale(client, publisher, 2)).status_code == 200
        assert len(await agent.beat()) == 2

    @pytest.mark.parametrize(("least", "asked", "started"), [(2, 1, 2), (0, 5, 1), (2, 0, 0)])
    async def test_automatic_model_keeps_its_minimal_number_of_instances(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        least: int,
        asked: int,
        started: int,
    ) -> None:
        scaling = {"minInstanceCount": least, "maxInstanceCount": 5}
        await _change(client, publisher, hostingType="AUTOMATIC", autoScalingConfiguration=scaling)
        assert (await scale(client, publisher, asked)).status_code == 200
        assert len(await agent.beat()) == started

    async def test_stopped_instance_of_an_automatic_model_is_replaced(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        scaling = {"minInstanceCount": 2, "maxInstanceCount": 5}
        await _change(client, publisher, hostingType="AUTOMATIC", autoScalingConfiguration=scaling)
        await scale(client, publisher, 1)
        first, second = await agent.beat()
        stopped = await client.post(f"{MODEL}/instance/{first}/stop", headers=publisher.owner)
        assert stopped.status_code == 200, stopped.text
        await client.post(f"{MODEL}/instance/start", headers=publisher.owner)
        running = [number for number, wanted in (await agent.beat()).items() if not wanted.stop]
        assert second in running
        assert len(running) == 2

    async def test_model_without_a_group_runs_in_its_accounts_default_group(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin, reconciler: Reconciler
    ) -> None:
        """The agent's server is in the platform's default group."""
        groups = "/api/mlpcore/account/acme/resource-groups"
        made = await client.post(groups, json={"name": "mine", "isDefault": True}, headers=publisher.owner)
        assert made.status_code == 200, made.text
        await scale(client, publisher, 1)
        assert await agent.beat() == {}
        await client.post(f"{groups}/mine", json={"isDefault": False}, headers=publisher.owner)
        await reconciler.turn()
        assert len(await agent.beat()) == 1

    async def test_prototype_cannot_be_started(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await _change(client, publisher, prototype=True)
        for path, body in (("instances", 1), ("instance/start", None)):
            answer = await client.post(f"{MODEL}/{path}", json=body, headers=publisher.owner)
            assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.prototype_not_started")
        assert await agent.beat() == {}

    async def test_concurrent_starts_do_not_exceed_the_accounts_limit(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        path = f"{MODEL}/instance/start"
        answers = await asyncio.gather(*(client.post(path, headers=publisher.owner) for _ in range(8)))
        assert sorted(answer.status_code for answer in answers) == [200] * 5 + [403] * 3
        assert len(await agent.beat()) == 5

    async def test_repeated_wake_ups_start_one_instance(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        path = f"{MODEL}/instances/single?causeAccountId=7"
        await asyncio.gather(*(client.post(path, headers=publisher.owner) for _ in range(3)))
        assert len(await agent.beat()) == 1


class TestRunning:
    async def test_running_instance_is_shown_with_its_server(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin
    ) -> None:
        (row,) = await rows(client, publisher)
        assert (row["id"], row["serverName"], row["instanceHostingType"]) == (running, "local", "hostingServer")
        assert row["statusInfo"] == {
            "totalStatus": "RUNNING",
            "isDeleted": False,
            "isConnectedToAllGates": True,
            "podStatus": "STARTED",
        }
        timing = await read(client, publisher, running, "timing")
        assert timing["instanceStartedTime"] is not None
        assert timing["modelAverageStartTimeSec"] == 0.0

    async def test_owner_sees_how_many_instances_a_model_has_and_nobody_else_does(
        self, client: httpx.AsyncClient, publisher: World, running: int
    ) -> None:
        shown = await client.post(f"{MODEL}/public-settings", json={"isPublic": True}, headers=publisher.owner)
        assert shown.status_code == 200
        own = (await client.get(MODEL, headers=publisher.owner)).json()
        assert own["instanceCounts"] == {"connected": 1, "expected": 1}
        assert (await client.get(MODEL, headers=publisher.stranger)).json()["instanceCounts"] is None

    async def test_instance_of_a_silent_server_is_unavailable(
        self, client: httpx.AsyncClient, publisher: World, running: int, clock: ManualClock
    ) -> None:
        clock.advance(timedelta(seconds=31))
        (row,) = await rows(client, publisher)
        assert row["statusInfo"]["podStatus"] == "UNAVAILABLE"  # type: ignore[index]

    async def test_failure_is_shown_with_its_reason_and_counted(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
    ) -> None:
        await scale(client, publisher, 1)
        (number,) = await agent.beat()
        failed = {"exit_code": 137, "reason": "OOMKilled", "message": "too much memory"}
        await agent.beat(report(number, P.BACKOFF, **failed))
        await agent.beat(report(number, P.BACKOFF, restart_count=1, **failed))
        (row,) = await rows(client, publisher)
        assert (row["restartCount"], row["statusInfo"]["totalStatus"]) == (1, "FAILED")  # type: ignore[index]
        assert (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()["state"] == "INACTIVE"
        state = await read(client, publisher, number, "laststate")
        assert state["terminated"]["exitCode"] == 137  # type: ignore[index]
        events = (await read(client, publisher, number, "events"))["events"]
        assert {"Created", "Scheduled", "BackOff", "OOMKilled"} <= {e["reason"] for e in events}  # type: ignore[union-attr]

    async def test_new_run_ends_the_streams_of_the_earlier_run(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin, clock: ManualClock
    ) -> None:
        first = clock.now()
        await agent.beat(report(running, P.RUNNING, started_at=first))
        clock.advance(timedelta(seconds=5))
        await agent.beat(report(running, P.RUNNING, started_at=first))
        assert (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()["state"] == "RUNNING"
        await agent.beat(report(running, P.RUNNING, started_at=clock.now()))
        assert (await client.get(f"{MODEL}/status", headers=publisher.owner)).json()["state"] == "STARTING"

    async def test_output_of_the_last_two_runs_is_kept(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin
    ) -> None:
        def piece(run: int, offset: int, text: str) -> LogChunk:
            return LogChunk(instance_id=running, generation=2, restart_count=run, offset=offset, text=text)

        await agent.beat(logs=(piece(0, 0, "one\n"), piece(1, 0, "two\n")))
        await agent.beat(logs=(piece(1, 0, "two\nand "), piece(1, 8, "more\0\n"), piece(2, 0, "x" * 400_000)))
        path = f"{MODEL}/instance/{running}/file/logs"
        now = await client.get(path, headers=publisher.owner)
        assert now.headers["content-type"].startswith("text/plain")
        assert len(now.text) == 256 * 1024
        before = await client.get(f"{path}?previousContainer=true", headers=publisher.owner)
        assert before.text == "two\nand more\ufffd\n"

    async def test_tail_holds_only_what_came_since_the_last_answer(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin
    ) -> None:
        path = f"{MODEL}/instance/{running}/file/logs/tail"

        async def tail(**query: object) -> dict[str, object]:
            answer = await client.get(path, params=query, headers=publisher.owner)  # type: ignore[arg-type]
            assert answer.status_code == 200, answer.text
            return answer.json()

        async def write(run: int, offset: int, text: str) -> None:
            chunk = LogChunk(instance_id=running, generation=2, restart_count=run, offset=offset, text=text)
            await agent.beat(logs=(chunk,))

        assert await tail() == {"run": None, "start": 0, "end": 0, "text": ""}
        await write(0, 0, "один\0\n")
        first = await tail()
        assert first == {"run": "2.0", "start": 0, "end": 6, "text": "один\ufffd\n"}
        assert await tail(run="2.0", since=6) == {"run": "2.0", "start": 6, "end": 6, "text": ""}
        await write(0, 5000, "two\n")  # what was written between was lost
        assert await tail(run="2.0", since=6) == {"run": "2.0", "start": 6, "end": 10, "text": "two\n"}
        await write(0, 5004, "x" * 300_000)
        cut = await tail(run="2.0", since=10)
        assert (cut["start"], cut["end"]) == (300_010 - 256 * 1024, 300_010)
        await write(1, 0, "again")
        assert await tail(run="2.0", since=300_010) == {"run": "2.1", "start": 0, "end": 5, "text": "again"}
        assert (await tail(run="2.0", since=300_005, previousContainer=True))["text"] == "xxxxx"
        assert (await client.get(path, headers=publisher.stranger)).status_code == 403
        assert (await client.get(path, params={"since": -1}, headers=publisher.owner)).status_code == 400

    async def test_environment_masks_secrets_for_all_and_values_for_readers(
        self, client: httpx.AsyncClient, publisher: World, running: int
    ) -> None:
        path = f"{MODEL}/instance/{running}/environment"
        for headers, greeting in ((publisher.owner, "it's $HOME"), (publisher.user, "********")):
            shown = (await client.get(path, headers=headers)).json()["environment"]
            assert (shown["API_SECRET"], shown["MLP_SERVICE_TOKEN"]) == ("********", "********")
            assert (shown["GREETING"], shown["MLP_INSTANCE_ID"]) == (greeting, str(running))


class TestKept:
    """Heartbeats that change nothing describe no instance."""

    async def test_instances_that_go_on_are_only_named(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, running: int
    ) -> None:
        for phase in (P.STARTING, P.RUNNING, P.BACKOFF):
            state = await agent.state(report(running, phase))
            assert (state.instances, state.kept) == ((), (running,))
        await scale(client, publisher, 2)
        state = await agent.state(report(running, P.RUNNING))
        (other,) = state.instances
        assert other.instance_id != running
        assert other.service_env["API_SECRET"] == "s"
        assert state.kept == (running,)

    @pytest.mark.parametrize("reported", [(), ((P.RUNNING, 1),), ((P.EXITED, 2),)])
    async def test_instances_that_the_agent_does_not_run_are_described(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        model_id: int,
        agent: AgentTwin,
        reported: tuple[tuple[ReportedPhase, int], ...],
    ) -> None:
        await scale(client, publisher, 1)
        (number,) = await agent.beat()
        state = await agent.state(*(report(number, phase, generation=of) for phase, of in reported))
        assert ([instance.instance_id for instance in state.instances], state.kept) == ([number], ())

    async def test_a_stopped_instance_is_described(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, running: int
    ) -> None:
        await scale(client, publisher, 0)
        state = await agent.state(report(running, P.RUNNING))
        assert ([instance.instance_id for instance in state.instances], state.kept) == ([running], ())

    async def test_an_instance_whose_model_has_no_image_any_more_is_not_kept(
        self, client: httpx.AsyncClient, publisher: World, agent: AgentTwin, running: int
    ) -> None:
        await _change(client, publisher, imageId=None, imageAccountId=None)
        state = await agent.state(report(running, P.RUNNING))
        assert (state.instances, state.kept) == ((), ())

    async def test_an_agent_of_the_previous_release_gets_all_described(self, agent: AgentTwin, running: int) -> None:
        assert (await agent.beat(report(running, P.RUNNING))).keys() == {running}


class TestRestrictedImage:
    async def test_output_of_another_accounts_restricted_image_is_refused(
        self, client: httpx.AsyncClient, publisher: World, running: int
    ) -> None:
        image = {"name": "secret", "image": "globex/secret:1", "accessMode": "restricted"}
        made = await client.post("/api/mlpcore/account/globex/image", json=image, headers=publisher.stranger)
        body = {"modelName": "greeting", "imageId": made.json()["id"]["imageId"]}
        body["imageAccountId"] = made.json()["id"]["accountId"]
        changed = await client.post(MODEL, json=body, headers=publisher.owner)
        assert changed.status_code == 200, changed.text
        answer = await client.get(f"{MODEL}/instance/{running}/file/logs", headers=publisher.owner)
        assert (answer.status_code, answer.json()["code"]) == (403, "mlp.core.restricted_image")
        tail = await client.get(f"{MODEL}/instance/{running}/file/logs/tail", headers=publisher.owner)
        assert (tail.status_code, tail.json()["code"]) == (403, "mlp.core.restricted_image")
        external = (await client.post(f"{MODEL}/external", headers=publisher.owner)).json()
        assert external["dockerRunCommand"] is None


class TestStop:
    async def test_stopped_instance_drains_ends_and_disappears(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        running: int,
        agent: AgentTwin,
        clock: ManualClock,
    ) -> None:
        stopped = await client.post(f"{MODEL}/instance/{running}/stop", headers=publisher.owner)
        assert stopped.status_code == 200
        assert (await agent.beat(report(running, P.RUNNING)))[running].stop is False
        clock.advance(timedelta(seconds=20))
        wanted = (await agent.beat(report(running, P.RUNNING)))[running]
        assert (wanted.stop, wanted.force, wanted.stop_grace_seconds) == (True, False, 30)
        assert await agent.beat(report(running, P.EXITED)) == {}
        assert await rows(client, publisher) == []

    async def test_unconnected_instance_stops_without_draining(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, agent: AgentTwin
    ) -> None:
        await scale(client, publisher, 1)
        (number,) = await agent.beat()
        await scale(client, publisher, 0)
        assert (await agent.beat())[number].stop is True

    async def test_terminated_instance_stops_without_draining(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin
    ) -> None:
        await client.post(f"{MODEL}/instance/{running}/stop", headers=publisher.owner)
        await client.post(f"{MODEL}/instance/{running}/terminate", headers=publisher.owner)
        wanted = (await agent.beat(report(running, P.RUNNING)))[running]
        assert (wanted.stop, wanted.force) == (True, True)

    async def test_stopped_instance_is_not_replaced(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin, reconciler: Reconciler
    ) -> None:
        await client.post(f"{MODEL}/instance/{running}/stop", headers=publisher.owner)
        await reconciler.turn()
        assert list(await agent.beat(report(running, P.RUNNING))) == [running]

    async def test_instance_of_a_deleted_server_waits_for_another_server(
        self,
        client: httpx.AsyncClient,
        publisher: World,
        running: int,
        agent: AgentTwin,
        reconciler: Reconciler,
        identities: Identities,
        tell: Teller,
        clock: ManualClock,
    ) -> None:
        await tell(account_changed(identities.account(1, "platform")))
        path = f"/api/mlpcore/account/1/resource-groups/default/server/{agent.enrolled.server_id}"
        clock.advance(timedelta(seconds=31))  # a server that responds is drained first
        assert (await client.delete(path, headers=publisher.admin)).status_code == 200
        await reconciler.turn()
        (row,) = await rows(client, publisher)
        assert (row["id"], row["serverId"]) == (running, None)


class TestHostileAgent:
    @pytest.mark.parametrize(
        "body",
        [b"", b"null", b"[]", b"{", b"\xff\xfe", b'{"agent_version": 1}', b'"text"', b'{"instances": "x"}'],
    )
    async def test_malformed_body_is_refused(self, agent: AgentTwin, body: bytes) -> None:
        answer = await agent.post(body)
        assert (answer.status_code, answer.json()["code"]) == (400, "mlp.core.malformed_request")

    @pytest.mark.parametrize("quoted", [False, True])
    @pytest.mark.parametrize("mark", ["", "\ufeff"])
    async def test_json_is_read_as_other_routes_read_it(self, agent: AgentTwin, mark: str, quoted: bool) -> None:
        """Also the text within a JSON string, the form of the published contract."""

        async def status(text: str) -> int:
            return (await agent.post(mark + (json.dumps(mark + text) if quoted else text))).status_code

        beat = json.dumps({"agent_version": "1", "capacity": CAPACITY, "instances": []})
        assert await status(beat) == 200
        assert await status(beat.replace('"1"', '"\\ud800"')) == 400
        assert await status(beat[:-1] + ', "x": NaN}') == 400
        assert await status(beat + " {}") == 400
        assert await status("\ufeff\ufeff" + beat) == 400

    async def test_body_above_the_limit_is_refused(self, agent: AgentTwin) -> None:
        answer = await agent.post(b" " * (1024 * 1024 + 1))
        assert (answer.status_code, answer.json()["code"]) == (413, "mlp.gate.request_too_large")

    async def test_wrong_credentials_are_refused(self, agent: AgentTwin) -> None:
        assert (await agent.post("{}", secret="1.1." + "a" * 40)).status_code == 401
        assert (await agent.post("{}", serverId=999_999)).status_code == 401
        assert (await agent.post("{}", account="nobody")).status_code == 401
        assert (await agent.post("{}", serverId="x")).status_code == 400

    async def test_out_of_range_values_do_no_harm(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin
    ) -> None:
        wild = {
            "instance_id": running,
            "generation": 2,
            "phase": "BACKOFF",
            "started_at": "0001-01-01T00:00:00+14:00",
            "finished_at": "9999-12-31T23:59:59-14:00",
            "exit_code": 10**40,
            "restart_count": 2**70,
            "reason": "\0" * 500,
            "message": "n\0l" * 5000,
        }
        logs = [
            {"instance_id": running, "generation": 2, "restart_count": 0, "offset": -5, "text": "minus"},
            {"instance_id": running, "generation": 2, "restart_count": 0, "offset": 2**80, "text": "far"},
            {"instance_id": running, "generation": 2, "restart_count": 2**80, "offset": 0, "text": "often"},
            {"instance_id": running, "generation": 1, "restart_count": 0, "offset": 0, "text": "old"},
        ]
        capacity = {"milli_cpu": 10**50, "ram_mb": -1, "disk_mb": 0, "gpu_models": ["\0"] * 1000}
        body = {"agent_version": "\0" * 900, "capacity": capacity, "instances": [wild, wild], "logs": logs}
        assert (await agent.post(json.dumps(body))).status_code == 200
        answer = await client.get(f"{MODEL}/instance/{running}/file/logs", headers=publisher.owner)
        assert answer.text == ""

    async def test_reports_of_another_servers_instances_are_ignored(
        self, client: httpx.AsyncClient, publisher: World, running: int, agent: AgentTwin
    ) -> None:
        made = await client.post(
            "/internal/mlpcore/bootstrap/server",
            json={"groupName": "default", "serverName": "evil"},
            headers=publisher.internal,
        )
        token = made.json()["enrolmentToken"]
        answer = await client.post("/api/mlpcore/hosting-server/enroll", json={"token": token})
        evil = AgentTwin(client, Enrolled.model_validate_json(answer.content))
        piece = LogChunk(instance_id=running, generation=2, restart_count=0, offset=0, text="lies")
        unknown = report(999_999, P.RUNNING)
        assert await evil.beat(report(running, P.EXITED, exit_code=1), unknown, logs=(piece,)) == {}
        assert (await evil.post("{}", serverId=agent.enrolled.server_id)).status_code == 401
        (row,) = await rows(client, publisher)
        assert row["statusInfo"]["totalStatus"] == "RUNNING"  # type: ignore[index]
        path = f"{MODEL}/instance/{running}/file/logs"
        assert (await client.get(path, headers=publisher.owner)).text == ""


class TestAccess:
    READS = ("/instance", "/instances", "/status", "/logs", "/instance/1/laststate", "/instance/1/timing")
    WRITES = ("/instances", "/instances/single", "/instance/start", "/instance/1/stop", "/instance/1/terminate")

    @pytest.mark.parametrize("path", READS)
    async def test_only_members_may_read(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, path: str
    ) -> None:
        assert (await client.get(MODEL + path)).status_code == 401
        assert (await client.get(MODEL + path, headers=publisher.stranger)).status_code == 403
        assert (await client.get(MODEL + path, headers=publisher.user)).status_code in {200, 404}

    @pytest.mark.parametrize("path", WRITES)
    async def test_only_developers_may_change(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, path: str
    ) -> None:
        for headers, status in (({}, 401), (publisher.stranger, 403), (publisher.user, 403)):
            assert (await client.post(MODEL + path, json=1, headers=headers)).status_code == status

    async def test_only_the_platform_may_send_metadata_and_heartbeats(
        self, client: httpx.AsyncClient, publisher: World, model_id: int, running: int
    ) -> None:
        account = publisher.acme.account_id
        path = f"/api/mlpcore/account/{account}/model/{model_id}/instance/{running}/metadata"
        body = {"version": 3, "hostname": "h", "builtInImageName": "i"}
        assert (await client.post(path, json=body, headers=publisher.owner)).status_code == 401
        assert (await client.post(path, json=body, headers=publisher.internal)).status_code == 200
        sightings = "/api/mlpcore/update-heartbeats"
        assert (await client.post(sightings, json=[running], headers=publisher.owner)).status_code == 401
        assert (await client.post(sightings, json=[running], headers=publisher.internal)).status_code == 200
        assert (await client.post(sightings, json=["x"], headers=publisher.internal)).status_code == 400
