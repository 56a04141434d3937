"""A cancelled prediction ends canceled, free of charge and with its notice, unless its answer came first."""

import asyncio
import json
import uuid
from collections.abc import AsyncGenerator
from contextlib import suppress

import pytest
import sqlalchemy as sa

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlpgateway.features.predictions.repository import PredictionRepository
from mlpgateway.features.predictions.tables import Prediction, WebhookDelivery
from mlplace_kit.errors import Unavailable
from mlplace_testing.waiting import eventually

NO = InstanceError(code="own.no", message="no", status=400, details={}, headers={})
LARGE = f'"{"x" * 300_000}"'


async def begin(world, caller) -> dict:
    headers = {**caller, "Prefer": "respond-async", "MLP-Webhook": "https://hooks.example.com/x"}
    answer = await world.predict(headers)
    assert answer.status_code == 202, answer.text
    return answer.json()


async def change(world, **values: object) -> None:
    async with world.components.database.transaction() as session:
        await session.execute(sa.update(Prediction).values(**values))


async def ended(world) -> Prediction:
    """Returns the only prediction, once it has ended or waits to be served again."""

    async def row() -> Prediction:
        async with world.components.database.transaction() as session:
            return (await session.execute(sa.select(Prediction))).scalar_one()

    return await eventually(row, until=lambda found: found.status != "running", seconds=60)


async def expect_canceled(world) -> None:
    """Expects all that a canceled prediction has."""
    row = await ended(world)
    assert (row.status, row.credential, row.token, row.error, row.output) == ("canceled", None, None, None, None)
    assert row.completed_at is not None
    async with world.components.database.transaction() as session:
        bodies = (await session.execute(sa.select(WebhookDelivery.body))).scalars().all()
    (told,) = map(json.loads, bodies)
    assert (told["type"], told["data"]["status"]) == ("prediction.completed", "canceled")
    assert await world.usage() == []


class Held:
    """A model that answers, or fails, when it may."""

    def __init__(self, outcome: str | Exception = "1") -> None:
        self.started, self.go = asyncio.Event(), asyncio.Event()
        self._outcome = outcome

    async def __call__(self, _request: InstanceRequest) -> AsyncGenerator[Answer]:
        self.started.set()
        await self.go.wait()
        if isinstance(self._outcome, Exception):
            raise self._outcome
        yield Answer(Payload(json=self._outcome), {})


@pytest.fixture
def runner(world):
    return world.components.entry_points.runner


class TestRunningPrediction:
    """Its gate has not noticed the cancel yet."""

    async def test_is_canceled_when_its_gate_stops(self, world, caller, runner) -> None:
        held = Held()
        world.instance(held)
        await begin(world, caller)
        task = asyncio.create_task(runner.run())
        await held.started.wait()
        await change(world, cancel_requested=True)
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        await expect_canceled(world)

    @pytest.mark.parametrize("age", ["1 second", "1 hour"], ids=["before its deadline", "after its deadline"])
    async def test_is_canceled_after_a_temporary_refusal(self, world, caller, runner, age) -> None:
        held = Held(Unavailable())
        world.instance(held)
        await begin(world, caller)
        await runner.look()
        await held.started.wait()
        await change(world, cancel_requested=True, created_at=sa.func.now() - sa.text(f"interval '{age}'"))
        held.go.set()
        await expect_canceled(world)

    @pytest.mark.parametrize("outcome", [NO, f'"{"x" * 3_000_000}"'], ids=["an error", "an answer that is too large"])
    async def test_is_canceled_when_its_model_fails_later(self, open_world, kit, outcome) -> None:
        async with open_world(kept_answer_bytes=2_000_000) as world:
            held = Held(outcome)
            world.know(kit.model_changed(billing=kit.CALLS))
            world.instance(held)
            await begin(world, world.key())
            await world.components.entry_points.runner.look()
            await held.started.wait()
            await change(world, cancel_requested=True)
            held.go.set()
            await expect_canceled(world)

    async def test_is_canceled_when_its_answer_comes_later(self, world, caller, runner) -> None:
        held = Held()
        world.instance(held)
        await begin(world, caller)
        await runner.look()
        await held.started.wait()
        await change(world, cancel_requested=True)
        held.go.set()
        await expect_canceled(world)

    async def test_succeeds_when_its_answer_is_being_written(self, world, kit, caller, runner) -> None:
        objects = runner._outputs._objects
        put, made = objects.put, await begin(world, caller)

        async def cancelled_meanwhile(key: str, data: bytes) -> None:
            await world.client.post(made["urls"]["cancel"], headers=caller)
            await runner.look()
            await put(key, data)

        objects.put = cancelled_meanwhile
        world.instance(kit.says(LARGE))
        await runner.look()
        row = await ended(world)
        assert (row.status, row.cancel_requested, len(await world.usage())) == ("succeeded", True, 1)

    async def test_is_canceled_when_its_answer_cannot_be_written(self, world, kit, caller, runner) -> None:
        objects = runner._outputs._objects

        async def cancelled_meanwhile(_key: str, _data: bytes) -> None:
            await change(world, cancel_requested=True)
            raise OSError

        objects.put = cancelled_meanwhile
        world.instance(kit.says(LARGE))
        await begin(world, caller)
        await runner.look()
        await expect_canceled(world)


class TestPredictionOfAKilledGate:
    @pytest.mark.parametrize("attempts", [1, 2])
    async def test_is_canceled(self, world, caller, runner, attempts) -> None:
        await begin(world, caller)
        twin, past = world.instance(), sa.func.now() - sa.text("interval '1 second'")
        killed = {"status": "running", "token": uuid.uuid4(), "leased_until": past, "attempts": attempts}
        await change(world, **killed, cancel_requested=True)
        await runner.look()
        await expect_canceled(world)
        assert twin.requests == []


class TestQueuedPrediction:
    async def test_that_an_earlier_release_queued_despite_a_cancel_never_runs(self, world, caller, runner) -> None:
        await begin(world, caller)
        twin = world.instance()
        await change(world, cancel_requested=True)
        await runner.look()
        await expect_canceled(world)
        assert twin.requests == []

    async def test_is_not_claimed_by_a_gate_that_has_not_ended_it(self, world, caller, runner) -> None:
        await begin(world, caller)
        await change(world, cancel_requested=True)
        async with world.components.database.transaction() as session:
            assert await PredictionRepository(session).claim(uuid.uuid4(), 5, runner._share) == []

    async def test_is_canceled_while_its_gate_queues_it_again(self, world, caller) -> None:
        made, token = await begin(world, caller), uuid.uuid4()
        lease = sa.func.now() + sa.text("interval '1 hour'")
        await change(world, status="running", token=token, leased_until=lease, attempts=1)

        async def waiting() -> bool:
            async with world.components.database.transaction() as session:
                mine = sa.text("datname = current_database() AND wait_event_type = 'Lock'")
                number = sa.select(sa.func.count()).select_from(sa.text("pg_stat_activity")).where(mine)
                return bool((await session.execute(number)).scalar_one())

        async with world.components.database.transaction() as session:
            await PredictionRepository(session).put_back(uuid.UUID(made["id"]), token)
            canceling = asyncio.create_task(world.client.post(made["urls"]["cancel"], headers=caller))
            await eventually(waiting, seconds=60)
        assert (await canceling).json()["status"] == "canceled"
        await expect_canceled(world)
