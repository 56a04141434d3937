"""Predictions: created, served, followed, cancelled, and taken over from dead gates."""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from itertools import count

import pytest
import sqlalchemy as sa
from msgspec.structs import replace
from obstore.exceptions import BaseError

from mlpgateway import registry
from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlpgateway.features.predictions import runner as runner_module
from mlpgateway.features.predictions import sender as sender_module
from mlpgateway.features.predictions.change_notices import ChangeNotices
from mlpgateway.features.predictions.tables import Prediction
from mlplace_kit.clock import SystemClock
from mlplace_kit.errors import AccessDenied
from mlplace_runtime.db.notices import Notices
from mlplace_runtime.objectstore import ObjectNotStoredError, ObjectStore
from mlplace_runtime.tasks import running
from mlplace_testing.waiting import eventually

ASYNC = {"Prefer": "respond-async"}


async def begin(world, caller, body='{"text":"hi"}', **headers: str) -> dict:
    answer = await world.predict({**caller, **ASYNC, **headers}, body)
    assert answer.status_code == 202, answer.text
    return answer.json()


async def outcome(world, caller, made, *states: str) -> dict:
    async def read() -> dict:
        return (await world.client.get(made["urls"]["get"], headers=caller)).json()

    wanted = set(states) or {"succeeded", "failed", "canceled"}
    return await eventually(read, until=lambda shown: shown["status"] in wanted, seconds=60)


async def change(world, **values: object) -> None:
    async with world.components.database.transaction() as session:
        await session.execute(sa.update(Prediction).values(**values))


def hanging():
    started = asyncio.Event()

    async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
        started.set()
        await asyncio.Event().wait()
        yield Answer(Payload(), {})

    return script, started


def answering_later():
    started, go_on = asyncio.Event(), asyncio.Event()

    async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
        started.set()
        await go_on.wait()
        yield Answer(Payload(json='"late"'), {})

    return script, started, go_on


class TestOutcomes:
    async def test_answer_appears_later_with_its_cost(self, world, kit, caller, served) -> None:
        twin = world.instance(kit.says('{"a":1}', Z_server_time="7"))
        made = await begin(world, caller)
        assert (made["status"], made["output"], made["model"]) == ("queued", None, {"account": "acme", "model": "ner"})
        done = await outcome(world, caller, made)
        assert (done["status"], done["output"], done["error"]) == ("succeeded", {"a": 1}, None)
        metrics = done["metrics"]
        assert (metrics["amountNano"], metrics["currency"], metrics["units"]) == (10, "RUBLE", 1)
        assert metrics["instanceId"] == twin.instance_id
        assert metrics["queueMs"] >= 0
        assert (metrics["wakeMs"], metrics["slotMs"], metrics["seatMs"]) == (0, 0, 0)
        (usage,) = await world.usage()
        assert (usage.request_id, usage.payer_account_id) == (made["requestId"], kit.DEMO)

    @pytest.mark.parametrize("waited", ["7", "\u00b2", "9" * 5000])
    async def test_waits_are_the_gates_own_whatever_the_model_says(self, world, kit, caller, served, waited) -> None:
        world.instance(kit.says("1", Z_Wait_Ms=waited, Z_Wait_Phase="start"))
        done = await outcome(world, caller, await begin(world, caller))
        assert done["status"] == "succeeded"
        assert (done["metrics"]["wakeMs"], done["metrics"]["slotMs"]) == (0, 0)

    async def test_output_is_available_byte_by_byte(self, world, kit, caller, served) -> None:
        world.instance(kit.says('{ "a": 1e400 }'))
        made = await begin(world, caller)
        refused = await world.client.get(made["urls"]["output"], headers=caller)
        assert (refused.status_code, refused.json()["code"]) == (409, "mlp.gate.prediction_open")
        await outcome(world, caller, made)
        answer = await world.client.get(made["urls"]["output"], headers=caller)
        assert (answer.text, answer.headers["content-type"]) == ('{ "a": 1e400 }', "application/json")

    @pytest.mark.parametrize("delay", [None, "7", "Fri, 27 Nov 2026 08:00:00 GMT"])
    async def test_error_of_the_model_is_the_outcome_and_free(self, world, kit, caller, served, delay) -> None:
        headers = {} if delay is None else {"Retry-After": delay}
        world.instance(
            kit.fails(InstanceError(code="own", message="no", status=503, details={"a": "b"}, headers=headers))
        )
        done = await outcome(world, caller, await begin(world, caller))
        assert done["status"] == "failed"
        told = {"code": "own", "message": "no", "status": 503, "args": {"a": "b"}, "retryAfter": delay}
        assert done["error"] == told
        assert await world.usage() == []

    async def test_error_with_unstorable_characters_is_the_outcome(self, world, kit, caller, served) -> None:
        error = InstanceError(code="o\0", message="n\0o\ud800", status=422, details={"a\udfff": "\0b"}, headers={})
        world.instance(kit.fails(error))
        done = await outcome(world, caller, await begin(world, caller))
        assert done["error"] == {
            "code": "o\ufffd",
            "message": "n\ufffdo\ufffd",
            "status": 422,
            "args": {"a\ufffd": "\ufffdb"},
            "retryAfter": None,
        }

    async def test_temporary_error_is_retried_until_it_works(self, world, caller, served) -> None:
        made = await begin(world, caller)
        await eventually(lambda: waiting_again(world), seconds=60)
        world.instance()
        await change(world, not_before=sa.func.now())
        done = await outcome(world, caller, made)
        assert (done["status"], done["metrics"]["attempts"]) == ("succeeded", 1)

    async def test_retries_end_at_the_deadline(self, world, caller) -> None:
        made = await begin(world, caller)
        await change(world, created_at=sa.func.now() - sa.text("interval '1 hour'"))
        await world.components.entry_points.runner.look()
        done = await outcome(world, caller, made)
        assert (done["status"], done["error"]["code"]) == ("failed", "mlp.gate.no_active_instances")

    async def test_too_large_answer_costs_nothing(self, open_world, kit) -> None:
        async with open_world(kept_answer_bytes=200) as world:
            world.know(kit.model_changed(billing=kit.CALLS))
            world.instance(kit.says(f'"{"x" * 300}"'))
            key = world.key()
            made = await begin(world, key)
            await world.components.entry_points.runner.look()
            done = await outcome(world, key, made)
            assert done["error"]["code"] == "mlp.gate.answer_too_large_to_keep"
            assert await world.usage() == []


async def waiting_again(world) -> bool:
    async with world.components.database.transaction() as session:
        row = (await session.execute(sa.select(Prediction))).scalar_one()
    return row.status == "queued" and row.not_before > row.created_at


class TestCreation:
    async def test_refusal_comes_at_once(self, world, kit) -> None:
        world.know(kit.model_changed(publicity=kit.PRIVATE))
        assert (await world.predict({**world.key(), **ASYNC})).status_code == 404
        refused = await world.predict(ASYNC)
        assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")

    async def test_caller_from_elsewhere_is_refused_at_once(self, world, kit, caller) -> None:
        limits = kit.limits_changed(kit.DEMO)
        world.know(limits.model_copy(update={"allowed_networks": ("10.0.0.0/8",)}))
        refused = await world.predict({**caller, **ASYNC})
        assert (refused.status_code, refused.json()["code"]) == (403, "mlp.gate.access_denied_for_account_from_ip")

    async def test_answer_contains_the_predictions_address(self, world, kit, caller) -> None:
        answer = await world.predict({**caller, "Prefer": "wait=5, respond-async"})
        assert (answer.status_code, answer.headers["preference-applied"]) == (202, "respond-async")
        assert answer.headers["location"] == answer.json()["urls"]["get"]
        assert answer.headers["location"].startswith(f"/api/mlpgateway/account/{kit.DEMO}/predictions/")

    async def test_other_preferences_are_ignored(self, world, caller) -> None:
        world.instance()
        assert (await world.predict({**caller, "Prefer": "return=minimal"})).status_code == 200

    async def test_open_predictions_of_an_account_are_limited(self, open_world) -> None:
        async with open_world(predictions_open=1) as world:
            key = world.key()
            keyed = {**key, **ASYNC, "Idempotency-Key": "k"}
            first = await world.predict(keyed)
            answer = await world.predict({**key, **ASYNC})
            assert (answer.status_code, answer.json()["code"]) == (429, "mlp.gate.too_many_predictions")
            again = await world.predict(keyed)
            assert (again.status_code, again.json()["id"]) == (202, first.json()["id"])

    async def test_credentials_are_encrypted_and_deleted_at_the_end(self, world, caller, served) -> None:
        made = await begin(world, caller)
        async with world.components.database.transaction() as session:
            row = (await session.execute(sa.select(Prediction))).scalar_one()
        assert caller["MLP-API-KEY"].encode() not in row.call + (row.credential or b"")
        world.instance()
        await change(world, not_before=sa.func.now())
        await outcome(world, caller, made)
        async with world.components.database.transaction() as session:
            assert (await session.execute(sa.select(Prediction.credential))).scalar_one() is None

    async def test_key_revoked_meanwhile_calls_nothing(self, world, kit, served) -> None:
        event, secret = world.key_event()
        world.know(event)
        reader = world.key(permissions=("predict",))
        made = await begin(world, {"MLP-API-KEY": secret})
        world.know(replace_event(event))
        twin = world.instance()

        async def failed() -> bool:
            async with world.components.database.transaction() as session:
                row = (await session.execute(sa.select(Prediction))).scalar_one()
            return row.status == "failed" and (row.error or {})["code"] == "mlp.gate.unauthorized"

        await eventually(failed, seconds=60)
        assert twin.requests == []
        assert (await world.client.get(made["urls"]["get"], headers=reader)).status_code == 404

    async def test_key_revoked_while_it_runs_ends_nothing_and_pays(self, world, kit, served) -> None:
        event, secret = world.key_event()
        world.know(event, kit.model_changed(billing=kit.CALLS))
        script, started, go_on = answering_later()
        world.instance(script)
        await begin(world, {"MLP-API-KEY": secret})
        await started.wait()
        world.know(replace_event(event))
        go_on.set()

        async def status() -> str:
            async with world.components.database.transaction() as session:
                return (await session.execute(sa.select(Prediction.status))).scalar_one()

        assert await eventually(status, until=lambda found: found in {"succeeded", "failed"}, seconds=60) == "succeeded"
        assert [usage.amount_nano for usage in await world.usage()] == [10]


def replace_event(event):
    return event.model_copy(update={"version": event.version + 1, "active": False})


class TestAccess:
    @pytest.mark.parametrize("path", ["", "/output", "/events", "/deliveries"])
    async def test_other_account_gets_the_answer_for_a_missing_prediction(self, world, kit, caller, path) -> None:
        made = await begin(world, caller)
        other = world.key(kit.OTHER)
        for prediction in (made["id"], str(uuid.uuid4())):
            own = f"/api/mlpgateway/account/{kit.OTHER}/predictions/{prediction}{path}"
            assert (await world.client.get(own, headers=other)).status_code == 404
        foreign = f"/api/mlpgateway/account/{kit.DEMO}/predictions/{made['id']}{path}"
        assert (await world.client.get(foreign, headers=other)).status_code == 403

    async def test_key_sees_only_its_own_predictions(self, world, caller) -> None:
        made = await begin(world, caller)
        other = world.key()
        assert (await world.client.get(made["urls"]["get"], headers=other)).status_code == 404
        listed = [
            (await world.client.get(made["urls"]["get"].rpartition("/")[0], headers=key)).json()
            for key in (caller, other)
        ]
        assert ([item["id"] for item in listed[0]], listed[1]) == ([made["id"]], [])

    async def test_other_account_cannot_cancel(self, world, kit, caller) -> None:
        made = await begin(world, caller)
        own = f"/api/mlpgateway/account/{kit.OTHER}/predictions/{made['id']}/cancel"
        assert (await world.client.post(own, headers=world.key(kit.OTHER))).status_code == 404
        assert (await outcome(world, caller, made, "queued"))["status"] == "queued"


class TestCanceling:
    async def test_queued_prediction_is_cancelled_at_once(self, world, caller) -> None:
        made = await begin(world, caller)
        answer = await world.client.post(made["urls"]["cancel"], headers=caller)
        assert answer.json()["status"] == "canceled"
        twin = world.instance()
        await world.components.entry_points.runner.look()
        assert twin.requests == []

    async def test_running_prediction_is_stopped_at_the_instance_and_free(self, world, caller, served) -> None:
        script, started = hanging()
        twin = world.instance(script)
        made = await begin(world, caller)
        await started.wait()
        await world.client.post(made["urls"]["cancel"], headers=caller)
        done = await outcome(world, caller, made)
        assert (done["status"], twin.active_requests, await world.usage()) == ("canceled", 0, [])

    async def test_finished_prediction_stays_unchanged(self, world, caller, served) -> None:
        world.instance()
        made = await begin(world, caller)
        await outcome(world, caller, made)
        answer = await world.client.post(made["urls"]["cancel"], headers=caller)
        assert answer.json()["status"] == "succeeded"


class TestFollowing:
    async def test_each_state_is_reported_until_the_end(self, world, caller, served) -> None:
        world.instance()
        made = await begin(world, caller)
        answer = await world.client.get(made["urls"]["events"], headers=caller, timeout=60)
        names = [line.removeprefix("event: ") for line in answer.text.splitlines() if line.startswith("event: ")]
        assert names[-1] == "succeeded"
        assert answer.headers["content-type"].startswith("text/event-stream")

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ({"active": False}, "mlp.gate.unauthorized"),
            ({"permissions": ("read",)}, "mlp.gate.access_denied"),
        ],
        ids=["a deleted key", "a lost right"],
    )
    async def test_stream_of_a_caller_who_may_not_see_it_any_more_ends_without_the_output(
        self, world, change, code
    ) -> None:
        event, secret = world.key_event(permissions=("predict", "read"))
        world.know(event)
        headers = {"MLP-API-KEY": secret}
        made = await begin(world, headers)
        following = asyncio.create_task(world.client.get(made["urls"]["events"], headers=headers, timeout=60))
        streams = world.components.entry_points.predictions._streams

        async def used() -> int:
            return streams.used

        await eventually(used, until=lambda number: number == 1, seconds=60)
        world.know(event.model_copy(update={"version": 2, **change}))
        answer = await following
        assert answer.text.rstrip().split("\n\n")[-1].startswith("event: error\ndata: ")
        assert json.loads(answer.text.rpartition("data: ")[2])["code"] == code
        assert streams.used == 0

    async def test_change_that_comes_with_the_loss_of_the_right_is_not_told(self, world, kit) -> None:
        event, secret = world.key_event(permissions=("predict", "read"))
        world.know(event)
        made = await begin(world, {"MLP-API-KEY": secret})
        service, checks = world.components.entry_points.predictions, count(1)

        async def check() -> None:
            if next(checks) > 1:
                raise AccessDenied

        prediction_id = uuid.UUID(made["id"])
        async with aclosing(service.follow(kit.DEMO, prediction_id, key_id=None, check=check)) as states:
            assert (await anext(states)).status == "queued"
            await change(world, status="succeeded")
            with pytest.raises(AccessDenied):
                await anext(states)


class TestGatesThatEnd:
    async def test_prediction_of_a_dead_gate_is_served_by_another_and_charged_once(self, world, caller) -> None:
        made = await begin(world, caller)
        past = sa.func.now() - sa.text("interval '1 second'")
        await change(world, status="running", token=uuid.uuid4(), leased_until=past, attempts=1)
        world.instance()
        runner = world.components.entry_points.runner
        await runner.look()
        done = await outcome(world, caller, made)
        assert (done["status"], done["metrics"]["attempts"], len(await world.usage())) == ("succeeded", 2, 1)

    async def test_abandoned_prediction_is_served_again(self, world, caller) -> None:
        """For example because the gate could not store how the call ended."""
        made, runner = await begin(world, caller), world.components.entry_points.runner
        past = sa.func.now() - sa.text("interval '1 second'")
        await change(world, status="running", token=runner._token, leased_until=past, attempts=1)
        world.instance()
        await runner.look()
        assert (await outcome(world, caller, made))["status"] == "succeeded"

    async def test_running_prediction_stays_with_its_gate(self, world, caller) -> None:
        script, started = hanging()
        world.instance(script)
        made, runner = await begin(world, caller), world.components.entry_points.runner
        await runner.look()
        await started.wait()
        await change(world, leased_until=sa.func.now() - sa.text("interval '1 second'"))
        await runner.look()
        async with world.components.database.transaction() as session:
            leased = await session.execute(sa.select(Prediction.token, Prediction.leased_until > sa.func.now()))
        assert (leased.one(), runner._running.keys()) == ((runner._token, True), {uuid.UUID(made["id"])})
        await world.client.post(made["urls"]["cancel"], headers=caller)
        await runner.look()
        assert (await outcome(world, caller, made))["status"] == "canceled"

    async def test_prediction_that_two_gates_died_with_fails(self, world, caller) -> None:
        made = await begin(world, caller)
        past = sa.func.now() - sa.text("interval '1 second'")
        await change(world, status="running", token=uuid.uuid4(), leased_until=past, attempts=2)
        await world.components.entry_points.runner.look()
        done = await outcome(world, caller, made)
        assert done["error"]["code"] == "mlp.gate.prediction_interrupted"
        assert await world.usage() == []

    async def test_slow_gate_neither_answers_nor_charges_after_a_takeover(self, world, caller) -> None:
        """Another gate has taken over the call meanwhile."""
        go, started = asyncio.Event(), asyncio.Event()

        async def slow(request: InstanceRequest) -> AsyncGenerator[Answer]:
            started.set()
            await go.wait()
            yield Answer(replace(request.data or Payload()), {})

        world.instance(slow)
        made = await begin(world, caller)
        await world.components.entry_points.runner.look()
        await started.wait()
        await change(world, token=uuid.uuid4())
        go.set()
        await eventually(lambda: idle(world), seconds=60)
        assert (await outcome(world, caller, made, "running"))["output"] is None
        assert await world.usage() == []

    async def test_leaving_gate_queues_its_predictions_again(self, world, caller) -> None:
        script, started = hanging()
        world.instance(script)
        made = await begin(world, caller)
        task = asyncio.create_task(world.components.entry_points.runner.run())
        await started.wait()
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert (await outcome(world, caller, made, "queued"))["startedAt"] is None


async def idle(world) -> bool:
    return not world.components.entry_points.runner._running


class TestDeletion:
    async def test_prediction_is_deleted_after_a_day(self, world, caller, served) -> None:
        world.instance()
        made = await begin(world, caller)
        await outcome(world, caller, made)
        await change(world, completed_at=sa.func.now() - sa.text("interval '25 hours'"))
        await world.components.entry_points.cleanup.clean_up()

        async def status() -> int:
            return (await world.client.get(made["urls"]["get"], headers=caller)).status_code

        await eventually(status, until=lambda found: found == 404, seconds=60)


class TestLargeOutputs:
    LARGE = f'"{"x" * 300_000}"'

    @pytest.fixture
    def objects(self, world) -> ObjectStore:
        return world.components.entry_points.runner._outputs._objects

    async def test_large_output_is_shown_from_the_object_store(self, world, kit, caller, served, objects) -> None:
        world.instance(kit.says(self.LARGE))
        done = await outcome(world, caller, await begin(world, caller))
        assert (done["output"], done["outputBytes"]) == ("x" * 300_000, 300_002)
        assert (await world.client.get(done["urls"]["output"], headers=caller)).text == self.LARGE
        async with world.components.database.transaction() as session:
            row = (await session.execute(sa.select(Prediction))).scalar_one()
        assert row.output is None
        assert await objects.list("mlpgateway/predictions") == [row.output_key]

    async def test_failed_upload_is_retried_and_not_charged(self, world, kit, caller, served, objects) -> None:
        world.instance(kit.says(self.LARGE))
        put, objects.put = objects.put, refused
        made = await begin(world, caller)
        await eventually(lambda: waiting_again(world), seconds=60)
        assert await world.usage() == []
        objects.put = put
        await change(world, not_before=sa.func.now())
        assert (await outcome(world, caller, made))["status"] == "succeeded"
        assert len(await world.usage()) == 1

    async def test_objects_of_killed_gates_are_deleted_with_the_prediction(
        self, world, kit, caller, served, objects
    ) -> None:
        world.instance(kit.says(self.LARGE))
        made = await begin(world, caller)
        await outcome(world, caller, made)
        await objects.put(f"mlpgateway/predictions/{made['id']}/left-behind", b"x")
        await objects.put("mlpgateway/predictions/another/one", b"x")
        await change(world, completed_at=sa.func.now() - sa.text("interval '25 hours'"))
        await world.components.entry_points.cleanup.clean_up()

        async def kept() -> list[str]:
            return await objects.list("mlpgateway/predictions")

        await eventually(kept, until=lambda keys: keys == ["mlpgateway/predictions/another/one"], seconds=60)

    async def test_objects_of_a_postponed_attempt_are_deleted(self, world, kit, caller, objects) -> None:
        """The store has accepted the output, but the gate did not learn of it; the next answer is a small one."""
        texts = [self.LARGE, '"small"']

        async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            yield Answer(Payload(json=texts.pop(0)), {})

        world.instance(script)
        objects.put = unheard(objects.put)
        made, runner = await begin(world, caller), world.components.entry_points.runner
        await runner.look()
        await eventually(lambda: waiting_again(world), seconds=60)
        await change(world, not_before=sa.func.now())
        await runner.look()
        done = await outcome(world, caller, made)
        assert (done["output"], done["metrics"]["attempts"]) == ("small", 1)
        await self.forgotten(world, objects)

    async def test_objects_of_a_failed_only_attempt_are_deleted(self, world, kit, caller, objects) -> None:
        world.instance(kit.says(self.LARGE))
        objects.put = unheard(objects.put)
        made = await begin(world, caller)
        ago = sa.func.now() - sa.text("interval '1 hour'")
        await change(world, created_at=ago, not_before=ago)
        await world.components.entry_points.runner.look()
        done = await outcome(world, caller, made)
        assert (done["status"], done["metrics"]["attempts"]) == ("failed", 1)
        await self.forgotten(world, objects)

    async def forgotten(self, world, objects: ObjectStore) -> None:
        assert len(await objects.list("mlpgateway/predictions")) == 1
        await change(world, completed_at=sa.func.now() - sa.text("interval '25 hours'"))
        await world.components.entry_points.cleanup.clean_up()
        assert await objects.list("mlpgateway/predictions") == []

    async def test_absent_store_ends_no_call_and_objects_are_deleted_later(self, world, kit, caller, objects) -> None:
        world.instance(kit.says(self.LARGE))
        old, runner = await begin(world, caller), world.components.entry_points.runner
        await runner.look()
        await outcome(world, caller, old)
        await change(world, completed_at=sa.func.now() - sa.text("interval '25 hours'"))
        tried, go, listed = asyncio.Event(), asyncio.Event(), objects.list

        async def away(_prefix: str) -> list[str]:
            tried.set()
            raise BaseError

        async def held(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await go.wait()
            yield Answer(Payload(json="1"), {})

        objects.list = away
        world.know(kit.model_changed(501, "held", billing=kit.CALLS))
        twin = world.instance(held, model_id=501)
        made = (await world.predict({**caller, **ASYNC}, model="held")).json()
        loops = [loop for loop in registry.loops(world.components, world.bus) if loop.name.startswith("predictions")]
        async with running("test", loops):
            await asyncio.wait_for(tried.wait(), 60)
            await eventually(lambda: asked(twin), seconds=60)
            go.set()
            done = await outcome(world, caller, made)
            assert (done["status"], done["metrics"]["attempts"], len(twin.requests)) == ("succeeded", 1, 1)
            objects.list = listed

            async def status() -> int:
                return (await world.client.get(old["urls"]["get"], headers=caller)).status_code

            await eventually(status, until=lambda found: found == 404, seconds=60)


class TestDatabaseOutage:
    async def test_running_calls_go_on(self, world, kit, caller, monkeypatch) -> None:
        go, runner = asyncio.Event(), world.components.entry_points.runner

        async def held(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await go.wait()
            yield Answer(Payload(json="1"), {})

        twin = world.instance(held)
        made = await begin(world, caller)
        looks, look = asyncio.Semaphore(0), runner.look

        async def away() -> float:
            looks.release()
            raise ConnectionRefusedError

        loops = [loop for loop in registry.loops(world.components, world.bus) if loop.name == "predictions"]
        async with running("test", loops):
            await eventually(lambda: asked(twin), seconds=60)
            monkeypatch.setattr(runner, "look", away)
            world.components.entry_points.runner._changes.work.set()
            for _ in range(3):
                await asyncio.wait_for(looks.acquire(), 60)
            monkeypatch.setattr(runner, "look", look)
            go.set()
            done = await outcome(world, caller, made)
        assert (done["status"], done["metrics"]["attempts"], len(twin.requests)) == ("succeeded", 1, 1)


async def asked(twin) -> bool:
    return bool(twin.requests)


def unheard(put):
    """Stores the first object without confirming it."""
    puts = count()

    async def put_once(key: str, data: bytes) -> None:
        await put(key, data)
        if not next(puts):
            raise ObjectNotStoredError(key)

    return put_once


async def refused(key: str, data: bytes) -> None:
    raise ObjectNotStoredError(key)


class TestChangeNotices:
    """No gate polls here: gates that get notices work as well as gates that poll all the time."""

    @pytest.fixture(autouse=True)
    def never_looks(self, monkeypatch) -> None:
        for module in (runner_module, sender_module):
            for name in ("_POLL_SECONDS", "_LOOK_SECONDS"):
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, 3600.0)

    async def test_another_gate_begins_at_once_and_followers_get_each_state(self, world, kit, caller) -> None:
        script, started = hanging()
        world.instance(script)
        notices, other = world.components.entry_points.notices, Notices(world.components.database, "mlpgateway")
        elsewhere = ChangeNotices(other, world.components.entry_points.runner._vault, SystemClock())
        tasks = [
            asyncio.create_task(work()) for work in (notices.run, other.run, world.components.entry_points.runner.run)
        ]
        await asyncio.wait_for(other.listening.wait(), 60)
        await asyncio.wait_for(notices.listening.wait(), 60)
        made = await begin(world, caller)
        await asyncio.wait_for(started.wait(), 60)
        with elsewhere.following(uuid.UUID(made["id"])) as changed:
            changed.clear()
            await world.client.post(made["urls"]["cancel"], headers=caller)
            await asyncio.wait_for(changed.wait(), 60)
        assert (await outcome(world, caller, made))["status"] == "canceled"
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def test_postponed_prediction_is_served_when_due(self, world, caller, served) -> None:
        made = await begin(world, caller)
        await eventually(lambda: waiting_again(world), seconds=60)
        world.instance()
        assert (await outcome(world, caller, made))["status"] == "succeeded"
