"""The choice of an instance, and its loss, slowness or leaving."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

import pytest

from mlpgateway.call.call import Answer, Payload
from mlpgateway.call.ports import ConnectedInstance, InstanceEntry
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlpgateway.delivery.choose import least_active
from mlpgateway.errors.calls import BrokenAnswer, PredictTimeout
from mlpgateway.errors.gate import GateOverloaded
from mlpgateway.errors.shares import ShareExceeded
from mlpgateway.instances.grpc.link import StreamLink
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES
from mlplace_kit.errors import DomainError, MalformedRequest
from mlplace_kit.pricing import BillingUnit
from mlplace_testing.waiting import eventually


async def parts(*texts: str) -> AsyncGenerator[Payload]:
    for text in texts:
        yield Payload(json=text)


class TestChoose:
    async def test_least_active_instance_is_preferred_and_ties_are_spread(self, world, kit) -> None:
        twins = [world.instance() for _ in range(3)]
        twins[0].active_requests = 1
        chosen = {least_active(world.components.links, kit.MODEL) for _ in range(60)}
        assert chosen == set(twins[1:])

    async def test_leaving_instance_is_not_chosen(self, world, kit) -> None:
        world.instance().accepts_requests = False
        assert least_active(world.components.links, kit.MODEL) is None

    async def test_model_without_instances_answers_503_and_holds_no_money(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.json()["code"]) == (503, "mlp.gate.no_active_instances")
        assert answer.headers["retry-after"] == "5"
        await world.components.leases.release_all()
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO]


class TestLostInstances:
    async def test_call_is_retried_once_on_another_instance(self, world, kit) -> None:
        lost, good = world.instance(kit.fails(kit.Failing)), world.instance()
        good.active_requests = 1
        assert (await world.predict(world.key())).status_code == 200
        assert (len(lost.requests), len(good.requests)) == (1, 1)
        (usage,) = await world.usage()
        assert usage.instance_id == good.instance_id

    async def test_call_is_not_sent_a_third_time(self, world, kit) -> None:
        twins = [world.instance(kit.fails(kit.Failing)) for _ in range(3)]
        answer = await world.predict(world.key())
        assert answer.json()["code"] == "mlp-action.common.channel-closed-error"
        assert sum(len(twin.requests) for twin in twins) == 2

    async def test_call_is_not_retried_after_a_part_of_the_answer(self, world, kit) -> None:
        first, second = world.instance(kit.fails(kit.Failing, "1")), world.instance()
        second.active_requests = 1
        assert (await world.predict(world.key())).status_code == 503
        assert (len(first.requests), len(second.requests)) == (1, 0)

    async def test_error_of_the_instance_is_the_answer(self, world, kit) -> None:
        error = InstanceError(
            code="mlp-action.common.channel-closed-error", message="mine", status=418, details={"code": "x"}, headers={}
        )
        world.instance(kit.fails(error))
        second = world.instance()
        second.active_requests = 1
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.json()["message"], len(second.requests)) == (418, "mine", 0)

    async def test_loss_is_reported_without_another_instance(self, world, kit) -> None:
        world.instance(kit.fails(kit.Failing))
        assert (await world.predict(world.key())).json()["code"] == "mlp-action.common.channel-closed-error"


async def hang(_request: InstanceRequest) -> AsyncGenerator[Answer]:
    await asyncio.Event().wait()
    yield Answer(Payload(), {})


class TestTimeouts:
    async def test_callers_timeout_applies(self, world, kit) -> None:
        twin = world.instance(hang)
        with pytest.raises(PredictTimeout) as caught:
            await world.components.pipeline.unary(kit.call_with(world.key(), timeout_seconds=0.02))
        assert (caught.value.status, caught.value.text) == (504, "the model did not answer within 0.02 seconds")
        assert (twin.finished, twin.active_requests) == (1, 0), "the instance's slot is free again"

    async def test_active_stream_has_no_time_limit(self, world, kit) -> None:
        async def drip(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            for place in range(5):
                await asyncio.sleep(0.5)
                yield Answer(Payload(json=str(place)), {}, last=place == 4, partial=True)

        world.instance(drip)
        call = kit.call_with(world.key(), timeout_seconds=2.0)
        async with aclosing(world.components.pipeline.stream(call)) as answers:
            assert [answer.payload.json async for answer in answers] == ["0", "1", "2", "3", "4"]


class Held:
    """A caller who sends one part, and then nothing more."""

    def __init__(self) -> None:
        self.waiting = asyncio.Event()
        self.closed = asyncio.Event()

    async def parts(self) -> AsyncGenerator[Payload]:
        try:
            yield Payload(json="a")
            self.waiting.set()
            await asyncio.Event().wait()
        finally:
            self.closed.set()


class TestDuplex:
    async def test_parts_pass_in_both_directions(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance()
        call = kit.call_with(world.key(), data=None)
        async with aclosing(world.components.pipeline.duplex(call, parts("a", "b"))) as answers:
            assert [answer.payload.json async for answer in answers] == ["ab"]
        assert [usage.amount_nano for usage in await world.usage()] == [10]

    async def test_inputs_are_closed_when_the_call_is_refused(self, world, kit) -> None:
        inputs = parts("a")
        with pytest.raises(DomainError):
            async with aclosing(
                world.components.pipeline.duplex(kit.call_with({"MLP-API-KEY": "x"}), inputs)
            ) as answers:
                await anext(answers)
        with pytest.raises(StopAsyncIteration):
            await anext(inputs)

    @pytest.fixture
    def held(self) -> Held:
        return Held()

    @pytest.fixture
    async def stream(self, world, kit) -> StreamLink:
        """Opens the stream of an instance that never answers."""
        entry = InstanceEntry(1, kit.MODEL, kit.ACME, "ner", accepts_connections=True)
        link = StreamLink(ConnectedInstance(uuid.uuid4(), entry, "gate:1", "", 2, "", None))
        world.components.links.add(link)
        return link

    async def test_timeout_applies_while_input_is_missing(self, world, kit, stream, held: Held) -> None:
        call = kit.call_with(world.key(), data=None, timeout_seconds=0.05)
        with pytest.raises(PredictTimeout):
            async with aclosing(world.components.pipeline.duplex(call, held.parts())) as answers:
                await anext(answers)
        await asyncio.wait_for(held.closed.wait(), 60)
        assert stream.active_requests == 0

    async def test_cancel_during_the_input_ends_the_call(self, world, kit, stream, held: Held) -> None:
        async def call() -> None:
            parts_in = held.parts()
            async with aclosing(
                world.components.pipeline.duplex(kit.call_with(world.key(), data=None), parts_in)
            ) as answers:
                await anext(answers)

        calling = asyncio.create_task(call())
        await asyncio.wait_for(held.waiting.wait(), 60)
        calling.cancel()
        with pytest.raises(asyncio.CancelledError):
            await calling
        await asyncio.wait_for(held.closed.wait(), 60)
        assert stream.active_requests == 0

    @pytest.mark.parametrize(
        ("error", "paid"),
        [
            (GateOverloaded(), []),
            (ShareExceeded(holder="account", resource="request_bytes", limit="1"), [10]),
            (MalformedRequest(reason="its body is incomplete"), [10]),
        ],
        ids=lambda case: type(case).__name__,
    )
    async def test_caller_pays_for_parts_before_an_error_unless_it_is_the_gates(
        self, world, kit, stream, error, paid
    ) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        sent, fails = asyncio.Event(), asyncio.Event()

        async def inputs() -> AsyncGenerator[Payload]:
            yield Payload(json="a")
            sent.set()
            await fails.wait()
            raise error

        call = kit.call_with(world.key(), data=None)
        async with aclosing(world.components.pipeline.duplex(call, inputs())) as answers:
            answering = asyncio.ensure_future(anext(answers))
            await asyncio.wait_for(sent.wait(), 60)
            part = pb.PartialPredictResponseProto(data=pb.PayloadProto(json="1"))
            answer = pb.ServiceToGateProto(requestId=1, partialPredict=part)
            stream.accept(answer, answer.ByteSize())
            assert (await answering).payload.json == "1"
            fails.set()
            with pytest.raises(type(error)):
                await anext(answers)
        assert [usage.amount_nano for usage in await world.usage()] == paid

    async def test_inputs_are_closed_when_the_answer_comes_before_their_end(
        self, world, kit, stream, held: Held
    ) -> None:
        async with aclosing(
            world.components.pipeline.duplex(kit.call_with(world.key(), data=None), held.parts())
        ) as answers:
            answering = asyncio.ensure_future(anext(answers))
            await asyncio.wait_for(held.waiting.wait(), 60)
            answer = pb.ServiceToGateProto(requestId=1, predict=pb.PredictResponseProto(data=pb.PayloadProto(json="1")))
            stream.accept(answer, answer.ByteSize())
            assert (await answering).payload.json == "1"
            with pytest.raises(StopAsyncIteration):
                await anext(answers)
        await asyncio.wait_for(held.closed.wait(), 60)


class TestKeptParts:
    @pytest.mark.parametrize(
        ("text", "number"), [("x" * (MAX_MESSAGE_BYTES // 3), 4), ("", MAX_MESSAGE_BYTES // 100)], ids=["large", "many"]
    )
    async def test_kept_parts_are_limited_to_one_messages_size(self, world, kit, text: str, number: int) -> None:
        """Each part is within bounds, and most are the same object: only their sum would fill the gate."""
        world.know(kit.model_changed(billing=kit.CALLS))
        part = Answer(Payload(json=text), {}, first=False, last=False, partial=True)

        async def endless(_request: InstanceRequest) -> AsyncGenerator[Answer]:
            for _ in range(number):
                yield part
            yield Answer(Payload(json="1"), {}, first=False, partial=True)

        twin = world.instance(endless)
        with pytest.raises(BrokenAnswer):
            await world.components.pipeline.unary(kit.call_with(world.key(), keep_parts=True))
        assert twin.finished == 1
        assert await world.usage() == [], "it is free"
        answer = await world.components.pipeline.unary(kit.call_with(world.key()))
        assert answer.payload.json == "1", "of others only the last part is kept"

    async def test_smaller_parts_are_kept_completely(self, world, kit) -> None:
        world.instance(kit.says("1", "2", "3"))
        answer = await world.components.pipeline.unary(kit.call_with(world.key(), keep_parts=True))
        assert [payload.json for payload in (*answer.before, answer.payload)] == ["1", "2", "3"]


class TestEmptyLastPart:
    """Some models mark the end with a part of its own."""

    @pytest.mark.parametrize("end", [Payload(), Payload(json=""), Payload(protobuf=b"")])
    async def test_caller_who_wants_one_answer_gets_the_last_content(self, world, kit, end: Payload) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance(_parts(Payload(json="1"), Payload(json="2", data_type="t"), end))
        answer = await world.components.pipeline.unary(kit.call_with(world.key()))
        assert (answer.payload, answer.last) == (Payload(json="2", data_type="t"), True)
        assert len(await world.usage()) == 1

    async def test_answer_without_content_is_an_error_and_free(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        world.instance(_parts(Payload(), Payload(json="")))
        with pytest.raises(BrokenAnswer):
            await world.components.pipeline.unary(kit.call_with(world.key()))
        assert await world.usage() == []


def _parts(*parts: Payload) -> Callable[[InstanceRequest], AsyncGenerator[Answer]]:
    async def script(_request: InstanceRequest) -> AsyncGenerator[Answer]:
        for number, part in enumerate(parts, 1):
            yield Answer(part, {}, first=number == 1, last=number == len(parts), partial=True)

    return script


class TestStreams:
    async def test_caller_who_leaves_a_stream_pays_for_the_received_parts(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS.model_copy(update={"unit": BillingUnit.CUSTOM})))
        twin = world.instance(kit.says("1", "2", "3", Z_custom_billing="5"))
        async with aclosing(world.components.pipeline.stream(kit.call_with(world.key()))) as answers:
            await anext(answers)
            await anext(answers)
        assert twin.finished == 1
        await world.components.pipeline.unary(kit.call_with(world.key()))
        assert [usage.units for usage in await world.usage()] == [10, 15]

    async def test_caller_who_leaves_before_the_first_part_pays_nothing(self, world, kit) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        twin = world.instance(hang)
        async with aclosing(world.components.pipeline.stream(kit.call_with(world.key()))) as answers:
            task = asyncio.ensure_future(anext(answers))
            await eventually(lambda: active(twin))
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        assert (await world.usage(), twin.finished) == ([], 1)


class TestRate:
    async def test_call_above_the_rate_limit_is_told_when_to_retry(self, world, kit) -> None:
        world.know(kit.limits_changed(kit.DEMO, per_second=3))
        world.instance()
        key = world.key()
        answers = [await world.predict(key) for _ in range(5)]
        codes = [answer.status_code for answer in answers]
        assert codes[:3] == [200] * 3
        assert answers[4].json()["code"] == "mlp.gate.pps_limit_exceeded"
        assert answers[4].headers["retry-after"] == "1"
        assert (await world.predict(world.key(kit.ACME))).status_code == 200

    async def test_account_of_unknown_limits_gets_the_default(self, open_world, kit) -> None:
        async with open_world(default_predict_per_sec=1) as world:
            world.instance()
            key = world.key(kit.OTHER)
            assert [(await world.predict(key)).status_code for _ in range(2)] == [200, 429]


async def active(twin) -> int:
    return twin.active_requests
