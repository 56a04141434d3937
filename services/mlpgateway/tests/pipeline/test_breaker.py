"""Calls avoid failing instances, and return to them when they work again."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlpgateway.delivery.choose import least_active
from mlpgateway.delivery.circuit_breaker import FAILURES, LONGEST_SECONDS, Breakers
from mlpgateway.errors.calls import CallerTimeout
from mlplace_contracts.events import ModelTimeouts
from mlplace_testing.waiting import eventually


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def breakers(world, time: Time) -> Breakers:
    return Breakers(world.components.links, now=time, jitter=lambda: 0.5)


def fail(breakers: Breakers, link, times: int = FAILURES) -> None:
    for _ in range(times):
        breakers.failed(link)


class TestBreakers:
    def test_failures_in_a_row_open_and_one_success_closes(self, world, breakers: Breakers) -> None:
        twin = world.instance()
        fail(breakers, twin, FAILURES - 1)
        assert breakers.allows(twin)
        breakers.succeeded(twin)
        assert not breakers.any
        fail(breakers, twin)
        assert not breakers.allows(twin)
        breakers.succeeded(twin)
        assert breakers.allows(twin)

    def test_one_call_probes_after_the_pause(self, world, breakers: Breakers, time: Time) -> None:
        twin = world.instance()
        fail(breakers, twin)
        time.now += 1.0
        assert breakers.allows(twin)
        breakers.chosen(twin)
        assert not breakers.allows(twin), "the others wait for what becomes of the probe"

    def test_probe_that_was_not_sent_leaves_the_place_to_the_next_call(
        self, world, breakers: Breakers, time: Time
    ) -> None:
        twin = world.instance()
        fail(breakers, twin)
        breakers.chosen(twin)
        breakers.not_sent(twin)
        assert not breakers.allows(twin), "it was no probe, so nothing is taken back"
        time.now += 1.0
        breakers.chosen(twin)
        breakers.not_sent(twin)
        assert breakers.allows(twin)
        breakers.chosen(twin)
        assert not breakers.allows(twin)

    def test_pauses_double_up_to_a_bound_and_vary(self, world, time: Time) -> None:
        chances = iter([0.0, 1.0] + [0.5] * 20)
        breakers = Breakers(world.components.links, now=time, jitter=lambda: next(chances))
        twin = world.instance()
        fail(breakers, twin)
        time.now += 0.5
        assert breakers.allows(twin)
        breakers.failed(twin)
        time.now += 2.9
        assert not breakers.allows(twin)
        for _ in range(10):
            breakers.failed(twin)
        time.now += LONGEST_SECONDS
        assert breakers.allows(twin)

    def test_open_instance_is_used_only_without_others(self, world, kit, breakers: Breakers) -> None:
        bad, busy = world.instance(), world.instance()
        busy.active_requests = 50
        fail(breakers, bad)
        assert least_active(world.components.links, kit.MODEL, (), breakers) is busy
        assert least_active(world.components.links, kit.MODEL, (busy,), breakers) is bad
        fail(breakers, busy)
        assert least_active(world.components.links, kit.MODEL, (), breakers) is bad

    def test_lost_instance_is_forgotten(self, world) -> None:
        twin = world.instance()
        world.components.queues.breakers.failed(twin)
        world.components.links.remove(twin)
        assert not world.components.queues.breakers.any


class TestCalls:
    async def test_failing_instance_is_avoided(self, world, kit) -> None:
        error = InstanceError(code="x", message="x", status=500, details={}, headers={})
        bad, good = world.instance(kit.fails(error)), world.instance()
        good.active_requests = 5
        key = world.key()
        answers = [(await world.predict(key)).status_code for _ in range(FAILURES + 3)]
        assert answers == [500] * FAILURES + [200] * 3
        assert len(bad.requests) == FAILURES

    async def test_refused_requests_do_not_open(self, world, kit) -> None:
        error = InstanceError(code="x", message="x", status=400, details={}, headers={})
        world.instance(kit.fails(error))
        key = world.key()
        for _ in range(FAILURES):
            await world.predict(key)
        assert not world.components.queues.breakers.any

    async def test_timeouts_open(self, world, kit) -> None:
        async def hang(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await asyncio.Event().wait()
            yield Answer(Payload(), {})

        world.know(kit.model_changed(timeouts=ModelTimeouts(pod_start=60, predict=1, fit=60)))
        twin, breakers, headers = world.instance(hang), world.components.queues.breakers, world.key()
        for seconds, allowed in ((0.5, True), (0.9, False)):
            calls = (kit.call_with(headers, timeout_seconds=seconds) for _ in range(FAILURES))
            ended = await asyncio.gather(*map(world.components.pipeline.unary, calls), return_exceptions=True)
            assert {type(error) for error in ended} == {CallerTimeout}
            assert breakers.allows(twin) is allowed, "below four fifths of the model's time the caller did not wait"

    async def test_cancelled_calls_do_not_count(self, world, kit) -> None:
        async def hang(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            await asyncio.Event().wait()
            yield Answer(Payload(), {})

        twin = world.instance(hang)
        task = asyncio.create_task(world.components.pipeline.unary(kit.call_with(world.key())))
        await eventually(lambda: _value(twin.requests))
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert not world.components.queues.breakers.any


async def _value(value: object) -> object:
    return value
