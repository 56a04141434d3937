"""Waiting calls: for a starting instance, for their turn, within bounds, here and over other gates."""

import asyncio
import gc
import random
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mlpgateway.call import wake_up
from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.context import CallContext, priority_of
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.plan import plan_of
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.delivery.circuit_breaker import Breakers
from mlpgateway.delivery.queue import start_waits
from mlpgateway.delivery.queue.bounds import Bounds
from mlpgateway.delivery.queue.request_queues import RequestQueues
from mlpgateway.delivery.queue.slot import Slot
from mlpgateway.errors.calls import InstanceStartTimeout, PredictTimeout, QueueFull
from mlplace_contracts.events import (
    ModelBilling,
    ModelChanged,
    ModelPriorityQueue,
    ModelPublicity,
    ModelTimeouts,
    WakeUpWanted,
)
from mlplace_kit.errors import DomainError
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.events import published
from mlplace_testing.waiting import eventually

PATIENT = ModelTimeouts(pod_start=600, predict=600, fit=600)


def sleeping(kit, **about: object):
    """Returns a hosted model whose calls wait for its start."""
    values = {"reject_if_inactive": False, "hosting_type": "HOSTING_SERVER", "timeouts": PATIENT, **about}
    return kit.model_changed(**values)


def queued(kit, concurrency: int = 1, **about: object):
    queue = ModelPriorityQueue(enabled=True, concurrency=concurrency)
    return kit.model_changed(priority_queue=queue, timeouts=PATIENT, **about)


class Gated:
    """Instances whose answers a test releases one by one. `order` holds the data of requests as they came."""

    def __init__(self) -> None:
        self.order: list[str | None] = []
        self.active = 0
        self.most_active = 0
        self._turns = asyncio.Semaphore(0)

    async def script(self, request: InstanceRequest) -> AsyncGenerator[Answer]:
        self.order.append(request.data.json if request.data else None)
        self.active += 1
        self.most_active = max(self.most_active, self.active)
        try:
            await self._turns.acquire()
            yield Answer(request.data or Payload(), {})
        finally:
            self.active -= 1

    def release(self, number: int = 1) -> None:
        for _ in range(number):
            self._turns.release()

    async def came(self, number: int) -> None:
        await eventually(lambda: value(len(self.order) >= number), seconds=60)


async def value(of):
    return of


def waiting(world) -> Callable[[], Awaitable[int]]:
    """Returns the number of waiting calls at the gate."""

    async def number() -> int:
        return world.components.queues.streams.waiting

    return number


async def waits(world, number: int) -> None:
    await eventually(waiting(world), until=lambda found: found == number, seconds=60)


def wake_ups(world) -> Callable[[], Awaitable[Any]]:
    return lambda: published(world.components.database, WakeUpWanted)


def ask(world, key, text: str, priority: int | None = None) -> "asyncio.Task":
    headers = {**key, **({} if priority is None else {"Z-Priority": str(priority)})}
    return asyncio.create_task(world.predict(headers, text))


class TestStart:
    async def test_first_calls_wait_for_the_starting_instance(self, world, kit) -> None:
        world.know(sleeping(kit))
        calls = [ask(world, world.key(), f'"{number}"') for number in range(3)]
        await waits(world, 3)
        world.instance()
        answers = await asyncio.gather(*calls)
        assert sorted(answer.text for answer in answers) == ['"0"', '"1"', '"2"']
        assert {answer.headers["z-wait-phase"] for answer in answers} == {"start"}
        assert all(int(answer.headers["z-wait-ms"]) >= 0 for answer in answers)
        assert world.components.queues.streams.queues == 0, "what nobody needs is forgotten"

    async def test_call_that_did_not_wait_has_no_wait_header(self, world) -> None:
        world.instance()
        assert "z-wait-phase" not in (await world.predict(world.key())).headers

    async def test_model_is_woken_once_for_all_calls(self, world, kit) -> None:
        world.know(sleeping(kit))
        calls = [ask(world, world.key(), '"x"') for _ in range(3)]
        await waits(world, 3)
        events = await eventually(lambda: published(world.components.database, WakeUpWanted))
        assert [(event.account_id, event.model_id, event.caller_account_id) for event in events] == [
            (kit.ACME, kit.MODEL, kit.DEMO)
        ]
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        assert (world.components.queues.streams.waiting, world.components.queues.streams.queues) == (0, 0)

    async def test_rejecting_model_answers_at_once_and_is_woken(self, world, kit) -> None:
        world.know(sleeping(kit, reject_if_inactive=True))
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.json()["code"]) == (503, "mlp.gate.no_active_instances")
        assert answer.json()["args"] == {"phase": "start"}
        assert len(await eventually(lambda: published(world.components.database, WakeUpWanted))) == 1

    @pytest.mark.parametrize("waits_for_start", [True, False])
    async def test_model_that_stops_soon_after_its_start_is_woken_again(
        self, world, kit, waits_for_start: bool
    ) -> None:
        world.know(sleeping(kit, reject_if_inactive=not waits_for_start))
        for number in (1, 2):
            call = ask(world, world.key(), '"x"')
            await eventually(wake_ups(world), until=lambda found, number=number: len(found) == number)
            if waits_for_start:
                await waits(world, 1)
            instance = world.instance()
            assert (await call).status_code == (200 if waits_for_start else 503)
            world.components.links.remove(instance)

    async def test_instance_is_requested_again_while_calls_wait(self, world, kit, monkeypatch) -> None:
        monkeypatch.setattr(wake_up, "AGAIN_SECONDS", 0)
        monkeypatch.setattr(start_waits, "_WANT_AGAIN_SECONDS", 0.02)
        world.know(sleeping(kit))
        call = ask(world, world.key(), '"x"')
        await eventually(wake_ups(world), until=lambda found: len(found) >= 3)
        world.instance()
        assert (await call).status_code == 200
        asked, before = await wake_ups(world)(), None
        async with asyncio.timeout(60):  # what was asked for before the answer may be written after it
            while asked != before:
                await asyncio.sleep(0.1)
                asked, before = await wake_ups(world)(), asked

    async def test_externally_hosted_model_is_not_woken(self, world, kit) -> None:
        world.know(sleeping(kit, hosting_type="EXTERNAL", reject_if_inactive=True))
        assert (await world.predict(world.key())).json()["args"] == {}
        assert await published(world.components.database, WakeUpWanted) == []

    async def test_refused_call_wakes_nothing(self, world, kit) -> None:
        world.know(sleeping(kit, publicity=kit.PRIVATE))
        assert (await world.predict(world.key())).status_code == 404
        world.know(sleeping(kit, billing=kit.CALLS))
        world.billing.money[kit.OTHER] = 0
        world.know(kit.limits_changed(kit.OTHER))
        assert (await world.predict(world.key(kit.OTHER))).status_code == 402
        assert await published(world.components.database, WakeUpWanted) == []

    async def test_wait_ends_with_the_time_for_a_start(self, world, kit) -> None:
        world.know(sleeping(kit, timeouts=ModelTimeouts(pod_start=1, predict=600, fit=600), billing=kit.CALLS))
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.json()["code"]) == (504, "mlp.gate.instance_start_timeout")
        assert answer.json()["args"] == {"seconds": "1", "phase": "start"}
        assert answer.headers["z-wait-phase"] == "start"
        assert int(answer.headers["z-wait-ms"]) >= 990
        await world.components.leases.release_all()
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO]

    async def test_time_for_the_answer_begins_when_an_instance_is_there(self, world, kit) -> None:
        world.know(sleeping(kit, timeouts=ModelTimeouts(pod_start=600, predict=3, fit=600)))
        call = ask(world, world.key(), '"x"')
        await waits(world, 1)
        await asyncio.wait([call], timeout=3.5)
        assert not call.done(), "the three seconds are over, but not those of an answer"
        world.instance()
        assert (await call).status_code == 200

    async def test_new_instance_gets_a_few_calls_at_a_time(self, open_world, kit) -> None:
        async with open_world(woken_concurrency=2) as world:
            world.know(sleeping(kit))
            calls = [ask(world, world.key(), f'"{number}"') for number in range(9)]
            await waits(world, 9)
            gated = Gated()
            world.instance(gated.script)
            for number in range(9):
                await gated.came(min(number + 2, 9))
                gated.release()
            assert {(await call).status_code for call in calls} == {200}
            assert gated.most_active == 2

    async def test_later_refusal_tells_how_long_starts_take(self, world, kit) -> None:
        world.know(sleeping(kit))
        call = ask(world, world.key(), '"x"')
        await waits(world, 1)
        twin = world.instance()
        assert (await call).status_code == 200
        world.components.links.remove(twin)
        world.know(sleeping(kit, reject_if_inactive=True))
        answer = await world.predict(world.key())
        assert set(answer.json()["args"]) == {"phase", "estimateSeconds"}

    async def test_blocked_payer_is_refused_after_a_long_wait_and_the_next_one_served(
        self, world, kit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("mlpgateway.delivery.queue.request_queues._RECHECK_SECONDS", 0.0)
        world.know(sleeping(kit))
        key = world.key()
        call = ask(world, key, '"x"')
        await waits(world, 1)
        revoked, _ = world.key_event()
        call_of_other = ask(world, world.key(kit.ACME), '"y"')
        await waits(world, 2)
        world.know(kit.account_changed(kit.DEMO, "demo", active=False))
        twin = world.instance()
        assert (await call).status_code == 401
        assert (await call_of_other).status_code == 200
        assert [request.data.json for request in twin.requests] == ['"y"']
        assert revoked.active

    async def test_address_that_may_no_longer_call_is_refused_after_a_long_wait(
        self, world, kit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("mlpgateway.delivery.queue.request_queues._RECHECK_SECONDS", 0.0)
        world.know(sleeping(kit))
        call = ask(world, world.key(), '"x"')
        await waits(world, 1)
        world.know(kit.limits_changed(kit.DEMO).model_copy(update={"allowed_networks": ("192.0.2.0/24",)}))
        twin = world.instance()
        assert (await call).json()["code"] == "mlp.gate.access_denied_for_account_from_ip"
        assert twin.requests == []

    async def test_expired_lease_is_held_again(self, world, kit, clock, monkeypatch: pytest.MonkeyPatch) -> None:
        """Mlpbilling was away when the lease ended, so it holds nothing for the call any more."""
        monkeypatch.setattr("mlpgateway.delivery.queue.request_queues._RECHECK_SECONDS", 0.0)
        world.know(sleeping(kit, billing=kit.CALLS))
        call = ask(world, world.key(), '"x"')
        await waits(world, 1)
        world.billing.down = True
        clock.advance(timedelta(seconds=world.billing.usable_seconds * 2 + 2))
        await world.components.leases.maintain()
        world.billing.down = False
        world.instance()
        assert (await call).status_code == 200
        (usage,) = await world.usage()
        assert len(world.billing.reservations) == 2
        assert str(usage.reservation_id) == list(world.billing.reservations)[-1]


@asynccontextmanager
async def full(open_world, kit) -> AsyncGenerator[Any]:
    """A world whose only model has one running and one waiting call, which is the maximum."""
    async with open_world(account_share=1.0, waiting_calls_per_model=1) as world:
        world.know(queued(kit))
        gated = Gated()
        world.instance(gated.script)
        calls = [ask(world, world.key(), '"x"') for _ in range(2)]
        await waits(world, 1)
        yield world
        gated.release(2)
        await asyncio.gather(*calls)


class TestQueue:
    async def test_higher_priority_goes_first(self, world, kit) -> None:
        world.know(queued(kit))
        gated = Gated()
        world.instance(gated.script)
        calls = [ask(world, world.key(), '"first"')]
        await gated.came(1)
        for number, priority in enumerate([None, 5, 1, 5, -3]):
            calls.append(ask(world, world.key(), f'"{number}"', priority))
            await waits(world, number + 1)
        gated.release(6)
        answers = await asyncio.gather(*calls)
        assert gated.order == ['"first"', '"1"', '"3"', '"2"', '"0"', '"4"']
        assert gated.most_active == 1
        assert [answer.headers.get("z-wait-phase") for answer in answers] == [None, *["queue"] * 5]

    async def test_concurrency_of_each_instance_is_limited(self, world, kit) -> None:
        world.know(queued(kit, 2))
        gateds = [Gated(), Gated()]
        for gated in gateds:
            world.instance(gated.script)
        calls = [ask(world, world.key(), f'"{number}"') for number in range(10)]
        await waits(world, 6)
        assert [gated.active for gated in gateds] == [2, 2]
        for gated in gateds:
            gated.release(10)
        assert {(await call).status_code for call in calls} == {200}
        assert [gated.most_active for gated in gateds] == [2, 2]

    async def test_second_instance_takes_over_at_once(self, world, kit) -> None:
        world.know(queued(kit))
        gated = Gated()
        world.instance(gated.script)
        calls = [ask(world, world.key(), f'"{number}"') for number in range(2)]
        await waits(world, 1)
        world.instance()
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED, timeout=60)
        assert len(done) == 1
        gated.release()
        await asyncio.gather(*calls)

    async def test_cancelled_call_costs_no_turn(self, world, kit) -> None:
        world.know(queued(kit))
        gated = Gated()
        world.instance(gated.script)
        calls = [ask(world, world.key(), f'"{number}"') for number in range(3)]
        await waits(world, 2)
        running = next(call for number, call in enumerate(calls) if gated.order == [f'"{number}"'])
        leaving, staying = (call for call in calls if call is not running)
        leaving.cancel()
        await waits(world, 1)
        gated.release(2)
        assert {(await running).status_code, (await staying).status_code} == {200}
        assert len(gated.order) == 2

    async def test_full_queue_refuses_and_says_when_to_retry(self, open_world, kit) -> None:
        async with full(open_world, kit) as world:
            answer = await world.predict(world.key())
            assert (answer.status_code, answer.json()["code"]) == (503, "mlp.gate.queue_full")
            assert answer.json()["args"] == {"waiting": "1", "phase": "queue"}
            assert answer.headers["retry-after"] == "1"

    async def test_refusal_leaves_no_reference_cycles(self, open_world, kit) -> None:
        """Under overload there are many: collecting their cycles took the gate 70 ms at a time."""
        async with full(open_world, kit) as world:

            async def kept() -> int:
                return sum(isinstance(thing, QueueFull) for thing in gc.get_objects())

            gc.collect()
            before = await kept()  # what other tests hold
            gc.disable()
            try:
                assert (await world.predict(world.key())).json()["code"] == "mlp.gate.queue_full"
                await eventually(kept, until=lambda found: found <= before)
            finally:
                gc.enable()

    async def test_large_requests_fill_the_queue_sooner(self, open_world, kit) -> None:
        async with open_world(account_share=1.0, waiting_bytes_per_model=100) as world:
            world.know(queued(kit))
            gated = Gated()
            world.instance(gated.script)
            calls = [ask(world, world.key(), '"' + "x" * 90 + '"') for _ in range(2)]
            await waits(world, 1)
            assert (await world.predict(world.key(), '"' + "x" * 90 + '"')).json()["code"] == "mlp.gate.queue_full"
            gated.release(2)
            await asyncio.gather(*calls)

    async def test_wait_counts_as_time_for_the_answer(self, world, kit) -> None:
        world.know(queued(kit))
        gated = Gated()
        world.instance(gated.script)
        first = ask(world, world.key(), '"x"')
        await gated.came(1)
        with pytest.raises(PredictTimeout) as caught:
            await world.components.pipeline.unary(kit.call_with(world.key(), timeout_seconds=0.2))
        assert caught.value.details == {"seconds": "0.2", "phase": "queue"}
        assert caught.value.answer_headers["Z-Wait-Phase"] == "queue"
        assert int(caught.value.answer_headers["Z-Wait-Ms"]) > 0
        gated.release()
        assert (await first).status_code == 200
        assert len(gated.order) == 1

    async def test_last_part_of_a_stream_frees_its_slot(self, world, kit) -> None:
        world.know(queued(kit))
        world.instance(kit.says("1", "2"))
        call = kit.call_with(world.key())
        async with aclosing(world.components.pipeline.stream(call)) as slow:
            await anext(slow)
            await anext(slow)  # the caller reads no further
            assert (await world.predict(world.key())).status_code == 200

    async def test_lost_instance_delays_only_its_own_calls(self, world, kit) -> None:
        world.know(queued(kit))
        lost = world.instance(kit.fails(kit.Failing))
        calls = [ask(world, world.key(), f'"{number}"') for number in range(4)]
        answers = await asyncio.gather(*calls)
        assert {answer.json()["code"] for answer in answers} == {"mlp-action.common.channel-closed-error"}
        assert len(lost.requests) == 4
        assert world.components.queues.streams.queues == 0


class TestPriority:
    @pytest.mark.parametrize(
        ("text", "priority"),
        [
            ("5", 5),
            ("+5", 5),
            ("00000000001", 1),
            ("-000", 0),
            (" -7 ", -7),
            ("x", 0),
            ("", 0),
            ("1.5", 0),
            ("9" * 500, 2**31 - 1),
            ("-" + "9" * 500, 1 - 2**31),
        ],
    )
    def test_priority_is_a_bounded_integer(self, text: str, priority: int) -> None:
        assert priority_of({"z-priority": text}) == priority


class _Links:
    def __init__(self) -> None:
        self.links: list[_Link] = []

    def of_model(self, model_id: int) -> list["_Link"]:
        return [link for link in self.links if link.model_id == model_id]


@dataclass(eq=False)
class _Link:
    model_id: int = 1
    instance_id: int = 1
    active_requests: int = 0
    accepts_requests: bool = True


def _queues(links: _Links) -> RequestQueues:
    waker = SimpleNamespace(want=lambda *_: None, runs=lambda _: None, started=lambda *_: None, estimate=lambda _: None)
    return RequestQueues(links, elsewhere=None, waker=waker, breakers=Breakers(links), bounds=Bounds())  # type: ignore[arg-type]


@example(["call", "rest", "come", "cancel"], 0)
@example(["call", "rest", "call", "cancel"], 0)
@example(["call", "rest", "call", "cancel"], 1)
@example(["come", "call", "call", "call", "rest", "end", "cancel", "rest"], 0)
@given(
    st.lists(st.sampled_from(["call", "call", "call", "cancel", "end", "come", "go", "rest"]), max_size=80),
    st.integers(0, 2**16),
)
@settings(max_examples=60, deadline=None)
def test_no_slot_is_free_while_a_call_waits_and_none_is_lost(
    queued_model: ModelChanged, steps: list[str], seed: int
) -> None:
    asyncio.run(_run(queued_model, steps, random.Random(seed)))


@pytest.fixture(scope="module")
def queued_model() -> ModelChanged:
    return ModelChanged(
        version=1, model_id=1, model_name="m", account_id=2, account_name="a", task_type="ner", active=True,
        prototype=False, fittable=False, composite=False, hosting_type="HOSTING_SERVER", reject_if_inactive=False,
        timeouts=PATIENT, publicity=ModelPublicity(is_public=True, hidden=False, public_testing_allowed=False),
        billing=ModelBilling(enabled=False, unit=BillingUnit.CALLS, unit_price_nano=0, currency=Currency.RUBLE, free_unit_quota=0),
        priority_queue=ModelPriorityQueue(enabled=True, concurrency=2),
    )  # fmt: skip


class _Crowd:
    """Calls and instances that come and go at random."""

    def __init__(self, model: ModelChanged, chance: random.Random) -> None:
        self.links = _Links()
        self.queues = _queues(self.links)
        self.slots: list[Slot] = []
        self.calls: list[asyncio.Task[None]] = []
        self._plan = plan_of(model)
        self._chance = chance

    async def _call(self) -> None:
        priority = {"Z-Priority": str(self._chance.randrange(3))}
        request = InstanceRequest(Operation.PREDICT, None, None, None, {}, priority)
        self.slots.append(cast("Slot", await self.queues.choose(CallContext(self._plan, request, Deadline(60), 3))))

    def call(self) -> None:
        task = asyncio.create_task(self._call())
        self.calls.append(task)
        task.add_done_callback(self.calls.remove)

    def cancel(self) -> None:
        if self.calls:
            self._chance.choice(self.calls).cancel()

    def end(self) -> None:
        if self.slots:
            self.slots.pop(self._chance.randrange(len(self.slots))).release()

    def come(self) -> None:
        self.links.links.append(_Link())
        self.queues.changed(1)

    def go(self) -> None:
        if self.links.links:
            self.links.links.pop(self._chance.randrange(len(self.links.links)))
            self.queues.changed(1)

    async def rest(self) -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    def check(self) -> None:
        taken = [sum(slot.origin is link for slot in self.slots) for link in self.links.links]
        assert all(number <= 2 for number in taken)
        if self.queues.waiting:
            assert all(number == 2 for number in taken)

    async def drain(self) -> None:
        while self.queues.waiting or self.calls:
            self.release()
            await asyncio.sleep(0)
        self.release()

    def release(self) -> None:
        for slot in self.slots:
            slot.release()
        self.slots.clear()


async def _run(model: ModelChanged, steps: list[str], chance: random.Random) -> None:
    crowd = _Crowd(model, chance)
    for step in [*steps, "come", "rest"]:
        if step == "rest":
            await crowd.rest()
            crowd.check()
        else:
            getattr(crowd, step)()
    await crowd.drain()
    assert crowd.queues.queues == 0


async def test_errors_of_waiting_are_documented() -> None:
    assert [error.status for error in (InstanceStartTimeout, QueueFull, PredictTimeout)] == [504, 503, 504]
    assert all(issubclass(error, DomainError) for error in (InstanceStartTimeout, QueueFull, PredictTimeout))


class TestHeaders:
    async def test_an_instance_cannot_say_what_a_call_waited_for(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance(kit.says("1", Z_Wait_Ms="7", z_wait_phase="start", Z_Own="x"))
        answer = await world.predict(world.key())
        assert answer.status_code == 200
        assert not {"z-wait-ms", "z-wait-phase"} & set(answer.headers)
        assert answer.headers["z-own"] == "x"
