"""Batching: which calls share a batch, when it leaves, and that each gets its own answer and its own charge."""

import asyncio
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from types import SimpleNamespace
from typing import Any, cast

import pytest

from mlpgateway.call.call import Answer, Operation, Payload
from mlpgateway.call.context import CallContext
from mlpgateway.call.deadline import Deadline
from mlpgateway.call.plan import plan_of
from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.delivery.batching import Batching
from mlpgateway.errors.calls import PredictTimeout
from mlpgateway.instances.grpc.link import StreamLink
from mlplace_contracts.events import ModelBatches, ModelPriorityQueue
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.waiting import eventually

LOST = "mlp-action.common.channel-closed-error"


def batched(kit, size: int = 3, wait_ms: int = 600_000, longest: int | None = None, **about: object):
    batches = ModelBatches(size=size, wait_ms=wait_ms, longest_bytes=longest)
    return kit.model_changed(batches=batches, **about)


class Instance:
    """The gate's end of a real stream, without the network: `heard` are the messages written to it."""

    def __init__(self, world, kit, number: int, *, takes_batches: bool) -> None:
        entry = InstanceEntry(number, kit.MODEL, kit.ACME, "ner", accepts_connections=True)
        connection = ConnectedInstance(uuid.uuid4(), entry, "gate:1", "", 2, "", None, takes_batches=takes_batches)
        self.link = StreamLink(connection)
        self.heard: list[pb.GateToServiceProto] = []
        self._links = world.components.links
        self._links.add(self.link)
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        while (message := await self.link.outgoing.next()) is not None:
            self.heard.append(pb.GateToServiceProto.FromString(message))

    async def hears(self, number: int) -> list[pb.GateToServiceProto]:
        async def so_far() -> list[pb.GateToServiceProto]:
            return self.heard

        return await eventually(so_far, until=lambda heard: len(heard) >= number, seconds=60)

    def answer(self, message: pb.GateToServiceProto) -> None:
        """Answers with the request's data; each item of a batch reports 5 units."""
        said = pb.ServiceToGateProto(requestId=message.requestId)
        if message.HasField("batch"):
            for item in message.batch.data:
                predict = pb.PredictResponseProto(data=item.data)
                headers = {"Z-custom-billing": "5"}
                said.batch.data.append(
                    pb.BatchPayloadResponseProto(requestId=item.requestId, predict=predict, headers=headers)
                )
        else:
            said.predict.data.CopyFrom(message.predict.data)
        self.link.accept(said, 1)

    def lose(self) -> None:
        self._links.remove(self.link)
        self.link.broken("gone")

    async def close(self) -> None:
        self.lose()
        await self._reader


@pytest.fixture
async def instance(world, kit) -> AsyncGenerator[object]:
    opened: list[Instance] = []

    def make(*, takes_batches: bool = True) -> Instance:
        opened.append(Instance(world, kit, 41 + len(opened), takes_batches=takes_batches))
        return opened[-1]

    yield make
    for one in opened:
        await one.close()


def ask(world, key, text: str, **headers: str) -> "asyncio.Task":
    return asyncio.create_task(world.predict({**key, **headers}, text))


def texts(message: pb.GateToServiceProto) -> list[str]:
    return [item.data.json for item in message.batch.data]


NOT_SUPPORTED = pb.ApiErrorProto(code="mlp-action.common.method-not-supported", message="batch", status=pb.BAD_REQUEST)


class TestRefusal:
    @pytest.mark.parametrize("each", [False, True], ids=["of the whole", "of each"])
    async def test_calls_of_an_unsupported_batch_go_alone(self, world, kit, instance, each) -> None:
        world.know(batched(kit, size=2))
        one = instance()
        calls = [ask(world, world.key(), f'"{number}"') for number in range(2)]
        (batch,) = await one.hears(1)
        said = pb.ServiceToGateProto(requestId=batch.requestId)
        if each:
            for item in batch.batch.data:
                said.batch.data.add(requestId=item.requestId, error=NOT_SUPPORTED)
        else:
            said.error.CopyFrom(NOT_SUPPORTED)
        one.link.accept(said, 1)
        for message in (await one.hears(3))[1:]:
            one.answer(message)
        assert sorted([(await call).text for call in calls]) == ['"0"', '"1"']
        assert not one.link.takes_batches
        later = ask(world, world.key(), '"2"')
        message = (await one.hears(4))[3]
        assert message.predict.data.json == '"2"'
        one.answer(message)
        assert (await later).text == '"2"'


class TestGathering:
    async def test_full_batch_leaves_and_each_call_gets_its_own_answer(self, world, kit, instance) -> None:
        world.know(batched(kit))
        one = instance()
        calls = [ask(world, world.key(), f'"{number}"') for number in range(3)]
        (message,) = await one.hears(1)
        assert sorted(texts(message)) == ['"0"', '"1"', '"2"']
        one.answer(message)
        answers = [await call for call in calls]
        assert [answer.text for answer in answers] == ['"0"', '"1"', '"2"']
        assert {answer.headers["z-wait-phase"] for answer in answers} == {"batch"}

    async def test_batch_leaves_when_its_time_is_over(self, world, kit, instance) -> None:
        world.know(batched(kit, size=100, wait_ms=300))
        one = instance()
        calls = [ask(world, world.key(), f'"{number}"') for number in range(2)]
        (message,) = await one.hears(1)
        assert len(texts(message)) == 2
        one.answer(message)
        await asyncio.gather(*calls)

    async def test_call_that_nobody_joins_goes_alone(self, world, kit, instance) -> None:
        world.know(batched(kit, wait_ms=1))
        one = instance()
        call = ask(world, world.key(), '"alone"', **{"Z-requestId": "r5"})
        (message,) = await one.hears(1)
        assert (message.predict.data.json, message.headers["Z-requestId"]) == ('"alone"', "r5")
        one.answer(message)
        assert (await call).text == '"alone"'

    async def test_each_call_is_recorded_and_charged_separately(self, world, kit, instance) -> None:
        billing = kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM})
        world.know(batched(kit, size=2, billing=billing), kit.limits_changed(kit.OTHER))
        world.billing.money[kit.OTHER] = 10**15
        one = instance()
        calls = [ask(world, world.key(payer), '"x"') for payer in (kit.DEMO, kit.OTHER)]
        one.answer((await one.hears(1))[0])
        await asyncio.gather(*calls)
        usages = await world.usage()
        assert {(usage.payer_account_id, usage.units, usage.instance_id) for usage in usages} == {
            (kit.DEMO, 5, 41), (kit.OTHER, 5, 41)
        }  # fmt: skip


class TestSharing:
    async def test_only_calls_with_the_same_config_share_a_batch(self, world, kit, instance) -> None:
        world.know(batched(kit, size=2))
        one = instance()
        path = "/api/mlpgateway/account/acme/model/ner/predict-with-config"
        bodies = [f'{{"data": {number}, "config": {{"c": {number % 2}}}}}' for number in range(4)]
        key = world.key()
        calls = [asyncio.create_task(world.client.post(path, content=body, headers=key)) for body in bodies]
        messages = await one.hears(2)
        by_config = {message.batch.config.json: sorted(texts(message)) for message in messages}
        assert by_config == {'{"c": 0}': ["0", "2"], '{"c": 1}': ["1", "3"]}
        for message in messages:
            one.answer(message)
        await asyncio.gather(*calls)

    @pytest.mark.parametrize("why", ["large", "paid by another", "hidden"])
    async def test_some_calls_go_alone(self, world, kit, instance, why: str) -> None:
        world.know(batched(kit, size=2, longest=10))
        one = instance()
        waiting = ask(world, world.key(), '"x"')
        text = '"' + "y" * 20 + '"' if why == "large" else '"y"'
        headers = {"paid by another": {"MLP-BILLING-KEY": world.key(kit.ACME)["MLP-API-KEY"]}}.get(why, {})
        if why == "hidden":
            headers = {"Content-Hidden": "true"}
            calls = [ask(world, world.key(), text, **headers) for _ in range(2)]
            (message,) = await one.hears(1)
            assert (len(texts(message)), message.headers["Content-Hidden"]) == (2, "true")
        else:
            calls = [ask(world, world.key(), text, **headers)]
            (message,) = await one.hears(1)
            assert message.predict.data.json == text
        one.answer(message)
        await asyncio.gather(*calls)
        assert not waiting.done()
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)

    async def test_streams_and_ext_calls_go_alone(self, world, kit, instance) -> None:
        world.know(batched(kit, size=2))
        one = instance()
        async with aclosing(world.components.pipeline.stream(kit.call_with(world.key()))) as answers:
            first = asyncio.ensure_future(anext(answers))
            (message,) = await one.hears(1)
            assert message.HasField("predict")
            one.answer(message)
            await first

    async def test_instance_without_the_method_gets_no_batch(self, world, kit, instance) -> None:
        world.know(batched(kit))
        one = instance(takes_batches=False)
        call = ask(world, world.key(), '"x"')
        one.answer((await one.hears(1))[0])
        assert (await call).status_code == 200

    async def test_calls_queued_at_another_gate_go_alone(
        self, world, kit, instance, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(world.components.queues.streams, "queues_here", lambda _: False)
        world.know(batched(kit, size=2))
        one = instance()
        call = ask(world, world.key(), '"x"')
        one.answer((await one.hears(1))[0])
        assert "z-wait-phase" not in (await call).headers

    async def test_size_below_two_means_no_batches(self, world, kit, instance) -> None:
        world.know(batched(kit, size=1))
        one = instance()
        call = ask(world, world.key(), '"x"')
        one.answer((await one.hears(1))[0])
        assert "z-wait-phase" not in (await call).headers


class TestFailures:
    async def test_calls_of_a_lost_batch_are_retried_alone(self, world, kit, instance) -> None:
        world.know(batched(kit, size=2, billing=kit.CALLS))
        lost = instance()
        calls = [ask(world, world.key(), f'"{number}"') for number in range(2)]
        await lost.hears(1)
        good = instance()
        lost.lose()
        messages = await good.hears(2)
        assert sorted(message.predict.data.json for message in messages) == ['"0"', '"1"']
        for message in messages:
            good.answer(message)
        assert [(await call).text for call in calls] == ['"0"', '"1"']
        assert [usage.amount_nano for usage in await world.usage()] == [10, 10]

    async def test_calls_of_a_lost_batch_fail_without_another_instance(self, world, kit, instance) -> None:
        world.know(batched(kit, size=2))
        lost = instance()
        calls = [ask(world, world.key(), '"x"') for _ in range(2)]
        await lost.hears(1)
        lost.lose()
        assert {(await call).json()["code"] for call in calls} == {LOST}

    async def test_cancelled_call_is_not_sent_or_not_waited_for(self, world, kit, instance) -> None:
        world.know(batched(kit, size=3))
        one = instance()
        leaving = asyncio.create_task(world.components.pipeline.unary(kit.call_with(world.key())))
        await asyncio.wait([leaving], timeout=0.2)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        calls = [ask(world, world.key(), f'"{number}"') for number in range(3)]
        (message,) = await one.hears(1)
        assert sorted(texts(message)) == ['"0"', '"1"', '"2"']
        calls[0].cancel()
        await asyncio.gather(calls[0], return_exceptions=True)
        one.answer(message)
        assert [(await call).text for call in calls[1:]] == ['"1"', '"2"']
        assert len(await world.usage()) == 2


class TestDeadline:
    async def test_call_whose_batch_never_leaves_tells_how_long_it_waited(self, world, kit, instance) -> None:
        world.know(batched(kit))
        instance()
        with pytest.raises(PredictTimeout) as caught:
            await world.components.pipeline.unary(kit.call_with(world.key(), timeout_seconds=0.2))
        assert caught.value.answer_headers["Z-Wait-Phase"] == "batch"
        assert int(caught.value.answer_headers["Z-Wait-Ms"]) > 0


class Defect(Exception):
    pass


class Busy:
    """Satisfies Chooser. All slots are taken; `choose` raises `error`, and is asked `asked` times."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.asked = 0
        self.on_spare = lambda: None

    async def choose(self, _context, *, but=()):
        self.asked += 1
        raise self.error

    def spare(self, _context, *, but=()):
        self.on_spare()

    def queues_here(self, _context) -> bool:
        return True


def gathering(kit, chooser: Busy, *, calls: int, size: int, wait_ms: int = 600_000):
    """Returns the batches, and calls that gather in one."""
    links = SimpleNamespace(of_model=lambda _: [SimpleNamespace(accepts_requests=True, takes_batches=True)])
    batching, plan = (
        Batching(cast("Any", chooser), cast("Any", links)),
        plan_of(batched(kit, size=size, wait_ms=wait_ms)),
    )

    async def call(text: str) -> list[Answer]:
        request = InstanceRequest(Operation.PREDICT, Payload(json=text), None, None, {}, {})
        context = CallContext(plan, request, Deadline(600), kit.DEMO, whole=True)
        link = await batching.choose(context)
        return [answer async for answer in link.send(request)]

    return batching, [asyncio.create_task(call(f'"{number}"')) for number in range(calls)]


class TestDefects:
    """A gathering that nobody closes would be joined by later calls, which then wait until their deadline."""

    async def test_gathering_whose_calls_all_left_before_its_turn_is_closed(self, kit) -> None:
        chooser = Busy(Defect())
        batching, calls = gathering(kit, chooser, calls=2, size=9, wait_ms=1)
        loop, left = asyncio.get_running_loop(), asyncio.Event()

        def all_leave() -> None:
            for call in calls:
                loop.call_soon(call.cancel)  # before the first step of the task that waits for a slot
            loop.call_soon(left.set)

        chooser.on_spare = all_leave
        await asyncio.wait_for(left.wait(), 60)
        await asyncio.gather(*calls, return_exceptions=True)
        await eventually(lambda: value(not batching._gathering), seconds=60)
        assert chooser.asked == 0

    @pytest.mark.parametrize("where", ["spare", "choose"])
    async def test_unexpected_error_lets_each_call_go_alone(self, kit, where: str) -> None:
        chooser = Busy(Defect())
        if where == "spare":
            chooser.on_spare = lambda: (_ for _ in ()).throw(Defect())
        batching, calls = gathering(kit, chooser, calls=2, size=2)
        answers = await asyncio.wait_for(asyncio.gather(*calls, return_exceptions=True), 60)
        assert [type(answer) for answer in answers] == [Defect, Defect]
        assert chooser.asked == (2 if where == "spare" else 3)
        assert batching._gathering == {}


class TestWithAQueue:
    async def test_batch_has_one_slot_and_gathers_while_it_waits_for_it(self, world, kit, instance) -> None:
        queue = ModelPriorityQueue(enabled=True, concurrency=1)
        world.know(batched(kit, size=4, wait_ms=1, priority_queue=queue))
        one = instance()
        first = ask(world, world.key(), '"first"')
        await one.hears(1)
        calls = [ask(world, world.key(), f'"{number}"') for number in range(2)]
        await eventually(lambda: value(world.components.queues.streams.waiting >= 1), seconds=60)
        calls += [ask(world, world.key(), f'"{number}"') for number in range(2, 4)]
        most_at_once = 0

        async def work() -> None:
            nonlocal most_at_once
            for place in range(5):
                message = (await one.hears(place + 1))[place]
                most_at_once = max(most_at_once, one.link.active_requests)
                one.answer(message)

        working = asyncio.create_task(work())
        assert [(await call).text for call in [first, *calls]] == ['"first"', *(f'"{number}"' for number in range(4))]
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        assert (most_at_once, world.components.queues.streams.queues) == (1, 0)


async def value(of):
    return of
