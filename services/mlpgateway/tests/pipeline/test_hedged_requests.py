"""Calls that are sent more than once because their model has retries, and recorded once."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any, cast

import pytest

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.context import CallContext
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.plan import plan_of
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlpgateway.delivery.deliver import Delivery
from mlpgateway.delivery.hedged_request import Hedge
from mlpgateway.delivery.retry_budget import MOST_SAVED, Budget, Tries, is_worth_another
from mlpgateway.errors.calls import NoActiveInstances
from mlpgateway.metrics import REPEATS
from mlplace_contracts.events import ModelPriorityQueue, ModelRetries
from mlplace_testing.waiting import eventually


def failing(status: int) -> InstanceError:
    return InstanceError(code="svc.broken", message="broken", status=status, details={}, headers={})


def repeating(kit, most: int, *offsets_ms: int, per_instance: int | None = 1, **about: object):
    retries = ModelRetries(most=most, timeouts_ms=offsets_ms, most_per_instance=per_instance)
    return kit.model_changed(retries=retries, billing=kit.CALLS, **about)


async def hang(_request: InstanceRequest) -> AsyncGenerator[Answer]:
    await asyncio.Event().wait()
    yield Answer(Payload(), {})


def prefer(*twins) -> None:
    """Makes the first instance the least active one, and so on."""
    for number, twin in enumerate(twins):
        twin.active_requests = number * 10


async def value(of):
    return of


class TestErrors:
    async def test_failed_request_is_retried_elsewhere_and_charged_once(self, world, kit) -> None:
        world.know(repeating(kit, 2))
        bad, good = world.instance(kit.fails(failing(500))), world.instance()
        prefer(bad, good)
        assert (await world.predict(world.key())).status_code == 200
        assert (len(bad.requests), len(good.requests)) == (1, 1)
        (usage,) = await world.usage()
        assert (usage.instance_id, usage.amount_nano) == (good.instance_id, 10)

    @pytest.mark.parametrize("status", [400, 404, 422])
    async def test_error_about_the_request_is_the_answer(self, world, kit, status: int) -> None:
        world.know(repeating(kit, 2))
        bad, good = world.instance(kit.fails(failing(status))), world.instance()
        prefer(bad, good)
        assert (await world.predict(world.key())).status_code == status
        assert good.requests == []

    async def test_retries_stay_within_the_config_and_the_first_failure_is_returned(self, world, kit) -> None:
        world.know(repeating(kit, 2))
        twins = [world.instance(kit.fails(failing(500 + number))) for number in range(5)]
        prefer(*twins)
        answer = await world.predict(world.key())
        assert (answer.status_code, sum(len(twin.requests) for twin in twins)) == (500, 3)
        assert await world.usage() == []

    @pytest.mark.parametrize(("per_instance", "requests"), [(1, 1), (0, 1), (2, 2), (None, 4)])
    async def test_requests_per_instance_are_limited(self, world, kit, per_instance: int | None, requests: int) -> None:
        world.know(repeating(kit, 3, per_instance=per_instance))
        alone = world.instance(kit.fails(failing(500)))
        assert (await world.predict(world.key())).status_code == 500
        assert len(alone.requests) == requests

    async def test_errors_are_not_retried_without_a_retries_config(self, world, kit) -> None:
        bad, good = world.instance(kit.fails(failing(500))), world.instance()
        prefer(bad, good)
        assert (await world.predict(world.key())).status_code == 500
        assert good.requests == []

    async def test_nothing_is_retried_after_a_part_of_an_answer(self, world, kit) -> None:
        world.know(repeating(kit, 3, 0))
        bad, good = world.instance(kit.fails(failing(500), "1")), world.instance()
        prefer(bad, good)
        async with aclosing(world.components.pipeline.stream(kit.call_with(world.key()))) as answers:
            assert (await anext(answers)).payload.json == "1"
            with pytest.raises(InstanceError):
                await anext(answers)
        assert good.requests == []

    async def test_retry_after_a_loss_does_not_count(self, world, kit) -> None:
        world.know(repeating(kit, 1))
        lost, bad, good = (
            world.instance(kit.fails(kit.Failing)), world.instance(kit.fails(failing(500))), world.instance()
        )  # fmt: skip
        prefer(lost, bad, good)
        assert (await world.predict(world.key())).status_code == 200
        assert [len(twin.requests) for twin in (lost, bad, good)] == [1, 1, 1]


class TestHedges:
    async def test_first_answer_wins_and_the_other_request_is_dropped(self, world, kit) -> None:
        world.know(repeating(kit, 2, 1))
        slow, quick = world.instance(hang), world.instance()
        prefer(slow, quick)
        assert (await world.predict(world.key())).status_code == 200
        assert (len(slow.requests), len(quick.requests)) == (1, 1)
        await eventually(lambda: value(slow.finished == 1))
        (usage,) = await world.usage()
        assert (usage.instance_id, usage.units) == (quick.instance_id, 1)

    async def test_requests_are_sent_at_their_offsets(self, world, kit) -> None:
        world.know(repeating(kit, 3, 10, 20))
        twins = [world.instance(hang) for _ in range(4)]
        call = asyncio.create_task(world.predict(world.key()))
        await eventually(lambda: value(sum(len(twin.requests) for twin in twins) == 3))
        await asyncio.wait([call], timeout=0.1)
        assert sum(len(twin.requests) for twin in twins) == 3, "two times are set, three retries or not"
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
        await eventually(lambda: value(sum(twin.finished for twin in twins) == 3))

    async def test_hedge_dropped_before_its_start_frees_its_slot(self, world, kit) -> None:
        """The first request fails at the moment in which the second is answered: a third one exists by then."""
        queue = ModelPriorityQueue(enabled=True, concurrency=1)
        world.know(repeating(kit, 3, 1, priority_queue=queue))
        together = asyncio.Event()

        async def lost(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await together.wait()
            raise kit.Failing
            yield

        async def answered(request: InstanceRequest) -> AsyncGenerator[Answer]:
            await together.wait()
            yield Answer(request.data or Payload(), {})

        first, second, third = world.instance(lost), world.instance(answered), world.instance()
        call = asyncio.create_task(world.predict(world.key()))
        await eventually(lambda: value(first.requests and second.requests))
        together.set()
        assert (await call).status_code == 200
        assert (len(third.requests), third.finished) == (1, 0), "it was sent, and nobody looked for the answer"
        assert world.components.queues.streams.queues == 0, "no slot is taken"

    async def test_single_instance_gets_no_hedge(self, world, kit) -> None:
        world.know(repeating(kit, 2, 1, 2))
        release = asyncio.Event()

        async def waits(request: InstanceRequest) -> AsyncGenerator[Answer]:
            await release.wait()
            yield Answer(request.data or Payload(), {})

        alone = world.instance(waits)
        call = asyncio.create_task(world.predict(world.key()))
        await asyncio.wait([call], timeout=0.2)
        release.set()
        assert ((await call).status_code, len(alone.requests)) == (200, 1)

    async def test_stream_goes_on_with_the_instance_of_the_first_part(self, world, kit) -> None:
        world.know(repeating(kit, 1, 1))
        slow, quick = world.instance(hang), world.instance(kit.says("1", "2", "3"))
        prefer(slow, quick)
        async with aclosing(world.components.pipeline.stream(kit.call_with(world.key()))) as answers:
            assert [answer.payload.json async for answer in answers] == ["1", "2", "3"]
        await eventually(lambda: value(slow.finished == 1))
        assert len(await world.usage()) == 1

    async def test_streamed_input_is_sent_once(self, world, kit) -> None:
        world.know(repeating(kit, 2, 1))
        bad, good = world.instance(kit.fails(failing(500))), world.instance()
        prefer(bad, good)

        async def parts() -> AsyncGenerator[Payload]:
            yield Payload(json="a")

        with pytest.raises(InstanceError):
            async with aclosing(
                world.components.pipeline.duplex(kit.call_with(world.key(), data=None), parts())
            ) as answers:
                await anext(answers)
        assert good.requests == []

    async def test_callers_timeout_covers_all_requests(self, world, kit) -> None:
        world.know(repeating(kit, 3, 1, 2, 3))
        twins = [world.instance(hang) for _ in range(4)]
        with pytest.raises(Exception, match="did not answer within"):
            await world.components.pipeline.unary(kit.call_with(world.key(), timeout_seconds=0.3))
        assert sum(twin.finished for twin in twins) == sum(len(twin.requests) for twin in twins)


class TestBudget:
    def test_fifth_of_the_calls_may_be_retried_beyond_the_savings(self) -> None:
        budget = Budget()
        saved = sum(budget.take() for _ in range(100))
        assert saved == MOST_SAVED
        again = 0
        for _ in range(1000):
            budget.called()
            again += budget.take()
        assert 198 <= again <= 200

    async def test_failing_model_gets_no_storm_of_retries(self, world, kit) -> None:
        world.know(repeating(kit, 3, per_instance=None))
        bad = world.instance(kit.fails(failing(500)))
        key = world.key()
        for _ in range(50):
            await world.predict(key)
        assert len(bad.requests) <= 50 + MOST_SAVED + 50 * 0.2


class Requests:
    """Satisfies Chooser over scripted links. `spare` gives `free` ones, `choose` those of `chosen`, then none."""

    def __init__(self, *chosen: object, free: object = None) -> None:
        self._chosen = list(chosen)
        self._free = free

    async def choose(self, _context, *, but=()):
        if not self._chosen:
            raise NoActiveInstances
        return self._chosen.pop(0)

    def spare(self, _context, *, but=()):
        link, self._free = self._free, None
        return link


class Link:
    """A link whose answers come from a script, and which counts how often its answers were closed."""

    instance_id, model_id, active_requests, accepts_requests = 1, 500, 0, True

    def __init__(self, script) -> None:
        self.script = script
        self.closed = 0

    async def __anext__(self) -> Answer:
        return await self.script()

    async def aclose(self) -> None:
        self.closed += 1


def hedge(kit, chooser: Requests, *offsets_ms: int) -> tuple[Hedge, Tries]:
    plan = plan_of(repeating(kit, 3, *offsets_ms, per_instance=None))
    request = InstanceRequest(Operation.PREDICT, Payload(json="1"), None, None, {}, {})
    context = CallContext(plan, request, Deadline(600), kit.DEMO, whole=True)
    breakers = SimpleNamespace(any=False, failed=lambda _: None)
    meter = SimpleNamespace(instance_id=None)
    send: Any = lambda link: link  # noqa: E731
    delivery = Delivery(context, send, cast("Any", chooser), cast("Any", breakers), cast("Any", meter), False)
    assert plan.repeats is not None
    tries = Tries(plan.repeats, Budget())
    return Hedge(delivery, tries), tries


class TestUnsentRetries:
    """What was not sent must cost nothing."""

    async def test_retry_without_an_instance_stays_in_the_budget(self, kit) -> None:
        async def fails() -> Answer:
            raise failing(500)

        before = REPEATS.labels("error")._value.get()
        hedged, tries = hedge(kit, Requests(Link(fails)))
        with pytest.raises(InstanceError):
            await hedged.begin()
        assert (tries.again, tries.budget._left) == (0, MOST_SAVED)
        assert REPEATS.labels("error")._value.get() == before

    async def test_retry_beside_a_running_request_needs_a_free_instance(self, kit) -> None:
        begun, answer = asyncio.Event(), asyncio.Event()

        async def fails() -> Answer:
            await begun.wait()
            raise failing(500)

        async def answers() -> Answer:
            begun.set()
            await answer.wait()
            return Answer(Payload(), {})

        bad, good = Link(fails), Link(answers)
        hedged, tries = hedge(kit, Requests(bad, free=good), 1)
        call = asyncio.create_task(hedged.begin())
        await eventually(lambda: value(bad.closed == 1), seconds=60)
        answer.set()
        assert (await call)[0].link is good
        assert (tries.again, tries.budget._left) == (1, MOST_SAVED - 1), "the hedge, and no retry"


class TestCancellations:
    async def test_second_cancellation_leaves_no_request_open(self, kit) -> None:
        async def slow_to_end() -> Answer:
            try:
                await asyncio.Event().wait()
            finally:
                call.cancel()
                await asyncio.sleep(0)
            raise AssertionError("nothing ends the wait but a cancellation")

        links = [Link(slow_to_end), Link(slow_to_end)]
        hedged, tries = hedge(kit, Requests(links[0], free=links[1]), 1)
        call = asyncio.create_task(hedged.begin())
        await eventually(lambda: value(len(tries.sent) == 2), seconds=60)
        await asyncio.sleep(0)
        call.cancel()
        await asyncio.wait([call], timeout=60)
        assert call.cancelled()
        assert [link.closed for link in links] == [1, 1]


class TestPlan:
    def test_offsets_are_sorted_and_at_most_as_many_as_the_retries(self, kit) -> None:
        repeats = plan_of(repeating(kit, 2, 300, 100, 200)).repeats
        assert repeats is not None
        assert (repeats.offsets, repeats.per_instance) == ((0.1, 0.2), 1)

    def test_unused_stages_are_absent(self, kit) -> None:
        plan = plan_of(kit.model_changed(retries=ModelRetries(most=0, timeouts_ms=(50,))))
        assert (plan.repeats, plan.batches, plan.concurrency) == (None, None, None)

    @pytest.mark.parametrize(("status", "worth"), [(400, False), (409, False), (429, True), (500, True), (503, True)])
    def test_failures_are_worth_a_retry_and_refusals_are_not(self, status: int, worth: bool) -> None:
        assert is_worth_another(failing(status)) is worth
