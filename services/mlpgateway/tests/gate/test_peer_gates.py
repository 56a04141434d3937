"""Calls that arrive at one gate for instances that only another one reaches, over real gRPC between the two."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from typing import cast

import grpc
import pytest
from msgspec import structs

from mlpgateway.call.call import Answer, Call, Caller, InputPart, Operation, Payload
from mlpgateway.call.transport import InstanceError, InstanceRequest
from mlpgateway.errors.gate import UnexpectedAnswer
from mlpgateway.instances.peers import messages, peer_gate, rpc
from mlpgateway.instances.peers.messages import Forwarded
from mlpgateway.instances.peers.peer_gate import PeerGate
from mlpgateway.membership.members import PostgresGates
from mlpgateway.pipeline.pipeline import Pipeline
from mlpgateway.shares.admission import Capacity
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.gate_pb2_grpc import GateStub
from mlplace_kit.clock import SystemClock
from mlplace_kit.errors import DomainError, Unavailable
from mlplace_testing.identities import INTERNAL_TOKEN
from mlplace_testing.ports import free_port
from mlplace_testing.slow_proxy import slow_proxy
from mlplace_testing.waiting import eventually

LOST = "mlp-action.common.channel-closed-error"
NONE = "mlp.gate.no_active_instances"


class Other:
    """Another gate, as the tested one sees it."""

    def __init__(self, gate, directory: PostgresGates, instance) -> None:
        self.gate = gate
        self.directory = directory
        self.instance = instance


@pytest.fixture
def meet(world, kit, run_gate, connect, scripted):
    """Returns a context manager factory: a further gate with an instance of the model, known to the world's gate."""

    async def joined(stack, *, instance_id: int | None = 31) -> Other:
        gate = await stack.enter_async_context(run_gate())
        stub: GateStub = connect(gate.address)
        instance = None
        if instance_id is not None:
            instance = await scripted(stub, instance_id, model_id=kit.MODEL).start()
        directory = PostgresGates(world.components.database, SystemClock())
        await directory.join(gate.address, internal=gate.server.internal)
        await world.components.gates.refresh()
        peers = world.components.peers._known.values()
        await eventually(lambda: _value([s for s in peers if s.address == gate.address and s.probed.is_set()]))
        return Other(gate, directory, instance)

    return joined


@pytest.fixture
async def stack(world) -> AsyncGenerator[object]:
    from contextlib import AsyncExitStack

    await world.components.peers.start("own:1")
    async with AsyncExitStack() as opened:
        yield opened
        await world.components.peers.close()


@pytest.fixture
async def other(meet, stack) -> Other:
    return await meet(stack)


async def _value(value):
    return value


def call_with(key: dict[str, str], **about: object) -> Call:
    caller = Caller(key["MLP-API-KEY"], credential_is_session=False, billing_key=None, client_ip="127.0.0.1")
    values: dict[str, object] = {"data": Payload(json='"x"'), **about}
    return Call("r1", "acme", "ner", Operation.PREDICT, caller, **values)  # type: ignore[arg-type]


async def parts(*texts: str) -> AsyncGenerator[Payload]:
    for place, text in enumerate(texts, 1):
        yield InputPart(json=text, last=place == len(texts))


class TestForward:
    async def test_call_is_answered_recorded_and_charged_once(self, world, kit, other: Other) -> None:
        world.know(kit.model_changed(billing=kit.CALLS))
        answering = asyncio.create_task(world.predict(world.key() | {"Z-requestId": "r7"}, '{"text":"hi"}'))
        request = await other.instance.hear_request()
        assert request.predict.data.json == '{"text":"hi"}'
        assert request.predict.config.json == "{}"
        assert (request.headers["Z-requestId"], request.headers["Z-callerAccountId"]) == ("r7", str(kit.DEMO))
        await other.instance.answer(request, '"far"', **{"Z-Server-Time": "7", "Z-custom-billing": "3"})
        answer = await answering
        assert (answer.status_code, answer.text) == (200, '"far"')
        assert answer.headers["z-server-time"] == "7"
        assert "z-custom-billing" not in answer.headers
        (usage,) = await world.usage()
        assert (usage.instance_id, usage.amount_nano, usage.model_time_ms) == (31, 10, 7)
        await world.components.leases.release_all()
        assert world.billing.available(kit.DEMO) == world.billing.money[kit.DEMO] - 10

    async def test_large_call_arrives_whole(self, world, other: Other) -> None:
        text = '"' + "я" * 700_000 + '"'
        answering = asyncio.create_task(world.predict(world.key(), text))
        request = await other.instance.hear_request()
        assert request.predict.data.json == text
        await other.instance.answer(request, text)
        answer = await answering
        assert (answer.status_code, answer.text) == (200, text)

    async def test_own_instance_is_preferred(self, world, other: Other) -> None:
        own = world.instance()
        assert (await world.predict(world.key())).status_code == 200
        assert len(own.requests) == 1

    async def test_ext_and_bytes_arrive_unchanged(self, world, other: Other) -> None:
        params = {"a": Payload(json="1"), "b": Payload(protobuf=b"\x00\xff", data_type="t")}
        call = structs.replace(
            call_with(world.key()), operation=Operation.EXT, method_name="init", params=params, data=None
        )
        answering = asyncio.create_task(world.components.pipeline.unary(call))
        request = await other.instance.hear_request()
        assert request.ext.methodName == "init"
        assert request.ext.params["b"] == pb.PayloadProto(dataType="t", protobuf=b"\x00\xff")
        data = pb.PayloadProto(protobuf=b"\x01\x00", dataType="u")
        await other.instance.say(
            pb.ServiceToGateProto(requestId=request.requestId, ext=pb.ExtendedResponseProto(data=data))
        )
        assert (await answering).payload == Payload(protobuf=b"\x01\x00", data_type="u")

    async def test_instance_error_keeps_all_its_fields(self, world, other: Other) -> None:
        answering = asyncio.create_task(world.predict(world.key()))
        request = await other.instance.hear_request()
        args = {"a": "${b}", "b": "no", "self": "s"}
        error = pb.ApiErrorProto(code=LOST, message="about ${a}", args=args)
        error.status = 418  # type: ignore[assignment]  # an open enum
        await other.instance.say(pb.ServiceToGateProto(requestId=request.requestId, error=error))
        answer = await answering
        told = answer.json()
        assert (answer.status_code, told["code"], told["message"], told["args"]) == (418, LOST, "about ${b}", args)
        assert await world.usage() == []

    async def test_delay_that_an_instance_asks_for_reaches_the_caller(self, world, other: Other) -> None:
        answering = asyncio.create_task(world.predict(world.key()))
        request = await other.instance.hear_request()
        error = pb.ApiErrorProto(code=LOST, message="busy")
        error.status = 429  # type: ignore[assignment]  # an open enum
        said = pb.ServiceToGateProto(requestId=request.requestId, error=error, headers={"Retry-After": "7"})
        await other.instance.say(said)
        answer = await answering
        assert (answer.status_code, answer.json()["message"], answer.headers["Retry-After"]) == (429, "busy", "7")

    async def test_answer_of_the_wrong_kind_gives_the_same_error_as_locally(self, world, other: Other) -> None:
        answering = asyncio.create_task(world.predict(world.key()))
        request = await other.instance.hear_request()
        await other.instance.say(pb.ServiceToGateProto(requestId=request.requestId, ext=pb.ExtendedResponseProto()))
        answer = await answering
        assert (answer.status_code, answer.json()["code"]) == (502, "mlp-action.common.internal-error")

    async def test_parts_of_an_answer_pass_one_by_one(self, world, other: Other) -> None:
        async with aclosing(world.components.pipeline.stream(call_with(world.key()))) as answers:
            first = asyncio.ensure_future(anext(answers))
            request = await other.instance.hear_request()
            await other.instance.answer_part(request, "1")
            seen = await first
            assert (seen.payload.json, seen.first, seen.last, seen.partial) == ("1", True, False, True)
            await other.instance.answer_part(request, "2", finish=True)
            seen = await anext(answers)
            assert (seen.payload.json, seen.first, seen.last) == ("2", False, True)
        assert [usage.instance_id for usage in await world.usage()] == [31]

    async def test_parts_of_a_request_pass_one_by_one(self, world, other: Other) -> None:
        more: asyncio.Queue[str | None] = asyncio.Queue()

        async def inputs() -> AsyncGenerator[Payload]:
            while (text := await more.get()) is not None:
                yield Payload(json=text)

        call = call_with(world.key(), data=None, config=Payload(json='{"c":1}'))
        async with aclosing(world.components.pipeline.duplex(call, inputs())) as answers:
            answering = asyncio.ensure_future(anext(answers))
            more.put_nowait("1")
            first = await other.instance.hear_request()
            assert (first.partialPredict.data.json, first.partialPredict.start) == ("1", True)
            assert first.partialPredict.config.json == '{"c":1}'
            more.put_nowait("2")
            second = await other.instance.hear_request()
            assert (second.partialPredict.data.json, second.partialPredict.finish) == ("2", False)
            more.put_nowait(None)
            end = await other.instance.hear_request()
            assert (end.partialPredict.HasField("data"), end.partialPredict.finish) == (False, True)
            await other.instance.answer(first, '"ok"')
            assert (await answering).payload.json == '"ok"'

    async def test_mark_of_the_last_part_passes_with_it(self, world, other: Other) -> None:
        call = call_with(world.key(), data=None)
        async with aclosing(world.components.pipeline.duplex(call, parts("1"))) as answers:
            answering = asyncio.ensure_future(anext(answers))
            request = await other.instance.hear_request()
            assert (request.partialPredict.start, request.partialPredict.finish) == (True, True)
            await other.instance.answer(request, '"ok"')
            assert (await answering).payload.json == '"ok"'

    def test_part_from_an_older_gate_is_not_the_last(self) -> None:
        assert messages.input_part(messages.encode(Payload(json="1"))) == InputPart(json="1", last=False)

    async def test_error_in_the_callers_parts_ends_the_call_there(self, world, other: Other) -> None:
        async def inputs() -> AsyncGenerator[Payload]:
            yield Payload(json="1")
            yield Payload(json="2")
            raise Unavailable

        with pytest.raises(Unavailable):
            async with aclosing(
                world.components.pipeline.duplex(call_with(world.key(), data=None), inputs())
            ) as answers:
                await anext(answers)
        await eventually(lambda: _value(other.gate.links.of_model(500)[0].active_requests == 0))

    async def test_cancel_or_timeout_ends_the_call_there(self, world, other: Other) -> None:
        with pytest.raises(DomainError) as refused:
            await world.components.pipeline.unary(call_with(world.key(), timeout_seconds=0.3))
        assert refused.value.code == "mlp.gate.predict_timeout"
        await other.instance.hear_request()
        await eventually(lambda: _value(other.gate.links.of_model(500)[0].active_requests == 0))

    async def test_request_counts_for_the_memory_of_the_serving_gate(self, world, other: Other) -> None:
        call = call_with(world.key(), data=Payload(json='"' + "x" * 100_000 + '"'))
        admission = other.gate.components.admission
        for pipeline in (
            world.components.pipeline,
            Pipeline(replace(world.components.pipeline._stages, ready=lambda: False)),
        ):
            answering = asyncio.create_task(pipeline.unary(call))
            request = await other.instance.hear_request()
            assert admission.held > 100_000
            await other.instance.answer(request, '"ok"')
            assert (await answering).payload.json == '"ok"'
            await eventually(lambda: _value(admission.held == 0))

    async def test_gate_with_full_memory_does_not_take_the_call(self, world, kit, other: Other) -> None:
        with other.gate.components.admission.enter(kit.DEMO) as large:
            large.holds(Capacity().size)
            with pytest.raises(DomainError) as refused:
                await world.components.pipeline.unary(call_with(world.key(), timeout_seconds=5))
            assert refused.value.code == NONE
        answering = asyncio.create_task(world.components.pipeline.unary(call_with(world.key())))
        await other.instance.answer(await other.instance.hear_request(), '"ok"')
        assert (await answering).payload.json == '"ok"'

    async def test_model_without_any_instance_is_refused_as_usual(self, world, meet, stack) -> None:
        await meet(stack, instance_id=None)
        answer = await world.predict(world.key())
        assert (answer.status_code, answer.json()["code"]) == (503, NONE)


class TestLosses:
    async def test_gate_that_dies_with_a_call_counts_as_a_lost_instance(self, world, run_gate, other: Other) -> None:
        async with aclosing(world.components.pipeline.stream(call_with(world.key()))) as answers:
            first = asyncio.ensure_future(anext(answers))
            request = await other.instance.hear_request()
            await other.instance.answer_part(request, "1")
            await first
            await other.gate.server._server.stop(grace=None)
            with pytest.raises(DomainError) as lost:
                await anext(answers)
        assert (lost.value.code, lost.value.status) == (LOST, 503)

    async def test_call_lost_before_its_first_part_goes_elsewhere(self, world, meet, stack, other: Other) -> None:
        second = await meet(stack, instance_id=32)
        answering = asyncio.create_task(world.predict(world.key()))
        hearing = [asyncio.create_task(gate.instance.hear_request()) for gate in (other, second)]
        done, waiting = await asyncio.wait(hearing, return_when=asyncio.FIRST_COMPLETED)
        first_is_other = hearing[0] in done
        await (other if first_is_other else second).gate.server._server.stop(grace=None)
        (left,) = waiting
        await (second if first_is_other else other).instance.answer(await left, '"again"')
        assert (await answering).text == '"again"'
        assert len(await world.usage()) == 1

    async def test_streamed_request_is_not_sent_twice(self, world, meet, stack, other: Other) -> None:
        second = await meet(stack, instance_id=32)
        call = call_with(world.key(), data=None)
        async with aclosing(world.components.pipeline.duplex(call, parts("1"))) as answers:
            answering = asyncio.ensure_future(anext(answers))
            hearing = [asyncio.create_task(gate.instance.hear_request()) for gate in (other, second)]
            done, waiting = await asyncio.wait(hearing, return_when=asyncio.FIRST_COMPLETED)
            await (other if hearing[0] in done else second).gate.server._server.stop(grace=None)
            with pytest.raises(DomainError) as lost:
                await answering
            assert lost.value.code == LOST
            (left,) = waiting
            left.cancel()
            await asyncio.gather(left, return_exceptions=True)

    async def test_gate_without_instances_hands_the_call_back(self, world, meet, stack, other: Other) -> None:
        """Its report of an instance was true when it was sent. The call goes on as if nothing had happened."""
        await meet(stack, instance_id=None)
        for peer in world.components.peers._known.values():
            peer.models.add(500)
        for number in range(8):
            answering = asyncio.ensure_future(world.components.pipeline.unary(call_with(world.key())))
            await other.instance.answer(await other.instance.hear_request(), str(number))
            assert (await answering).payload.json == str(number)
            call = call_with(world.key(), data=None)
            async with aclosing(world.components.pipeline.duplex(call, parts("1"))) as answers:
                first = asyncio.ensure_future(anext(answers))
                await other.instance.answer(await other.instance.hear_request(), "true")
                assert (await first).payload.json == "true"

    async def test_forwarded_call_is_not_forwarded_again(self, world, meet, stack, other: Other, connect) -> None:
        empty = await meet(stack, instance_id=None)
        await empty.gate.components.peers.start(empty.gate.address)
        async with grpc.aio.insecure_channel(empty.gate.address) as channel:
            forward = channel.stream_stream("/com.mlp.internal.Sibling/forward")
            call = forward(metadata=(("mlp-internal-token", INTERNAL_TOKEN), ("mlp-model", "500")))
            await call.write(messages.encode(Forwarded(InstanceRequest(Operation.PREDICT, None, None, None, {}, {}))))
            assert NONE.encode() in cast("bytes", await call.read())


class TestReachability:
    @pytest.fixture(autouse=True)
    def _reports_come_with_changes_only(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Otherwise gates also report every two seconds."""
        monkeypatch.setattr(rpc, "SAYS_SOMETHING_SECONDS", 3600.0)
        monkeypatch.setattr(peer_gate, "_SILENCE_SECONDS", 3600.0)

    async def test_instances_that_come_and_go_are_known_at_once(self, world, meet, stack, connect, scripted) -> None:
        other = await meet(stack, instance_id=None)
        (peer,) = world.components.peers._known.values()
        late = await scripted(connect(other.gate.address), 33, model_id=500).start()
        await eventually(lambda: _value(500 in peer.models))
        late.vanish()
        await eventually(lambda: _value(500 not in peer.models))

    async def test_lost_gate_counts_as_having_no_instances(self, world, other: Other) -> None:
        (peer,) = world.components.peers._known.values()
        assert peer.models == {500}
        await other.gate.server._server.stop(grace=None)
        await eventually(lambda: _value(peer.models == set()))
        answer = await world.predict(world.key())
        assert answer.json()["code"] == NONE

    async def test_gate_that_greets_late_is_reached_at_the_first_attempt(self, other: Other) -> None:
        host, port = other.gate.server.internal.rsplit(":", 1)
        listen = "127.0.0.1", free_port()
        async with slow_proxy(listen, (host, int(port))) as proxy:
            proxy.slow_down(0.5)
            late = PeerGate("late", f"127.0.0.1:{listen[1]}", INTERNAL_TOKEN)
            following = asyncio.create_task(late.follow())
            await eventually(lambda: _value(late.probed.is_set()))
            assert late.models == {500}
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)
            await late.close(at_once=True)

    async def test_leaving_gate_reports_that_it_has_no_instances(self, world, other: Other) -> None:
        (peer,) = world.components.peers._known.values()
        other.gate.components.peer_rpc.close()
        await eventually(lambda: _value(peer.models == set()))

    async def test_removed_gate_is_forgotten(self, world, other: Other) -> None:
        await other.directory.leave(other.gate.address)
        await world.components.gates.refresh()
        assert not world.components.peers._known

    async def test_call_after_the_start_waits_for_the_other_gates_reports(
        self, world, kit, run_gate, connect, scripted
    ) -> None:
        async with run_gate() as gate:
            instance = await scripted(connect(gate.address), 34, model_id=kit.MODEL).start()
            directory = PostgresGates(world.components.database, SystemClock())
            await directory.join(gate.address, internal=gate.server.internal)
            await world.components.peers.start("own:1")
            answering = asyncio.create_task(world.predict(world.key()))
            await instance.answer(await instance.hear_request(), "1")
            assert (await answering).status_code == 200
            await world.components.peers.close()


class TestAccess:
    @pytest.fixture
    async def gate(self, run_gate):
        """This gate refuses a silent stranger after a short wait."""
        async with run_gate(handshake_seconds=2.0) as opened:
            yield opened

    @pytest.mark.parametrize("method", ["watch", "forward", "entrust"])
    @pytest.mark.parametrize("token", [(), (("mlp-internal-token", "guess"),)])
    async def test_caller_without_the_internal_token_is_refused(self, gate, method: str, token) -> None:
        path = f"/com.mlp.internal.Sibling/{method}"
        async with grpc.aio.insecure_channel(gate.address) as channel:
            # A stream is refused before its first message: gRPC breaks an answer that overtakes a request.
            if method == "watch":
                call = channel.unary_stream(path)(b"", metadata=token)
            else:
                call = channel.stream_stream(path)(metadata=token)
            assert await call.code() is grpc.StatusCode.UNAUTHENTICATED


class TestEntrust:
    """A gate that is not ready yet lets another gate authenticate and serve the call."""

    @pytest.fixture
    def pipeline(self, world) -> Pipeline:
        return Pipeline(replace(world.components.pipeline._stages, ready=lambda: False))

    async def test_call_is_served_by_a_ready_gate(self, world, pipeline: Pipeline, other: Other) -> None:
        call = call_with(world.key(), headers={"Z-requestId": "r9"})
        answering = asyncio.create_task(pipeline.unary(call))
        await other.instance.answer(await other.instance.hear_request(), '"judged"')
        assert (await answering).payload.json == '"judged"'
        (seen,) = other.gate.handler.calls
        assert seen == call
        assert await world.usage() == [], "the gate that judges it writes it down"

    async def test_streams_in_both_directions_are_served_there(self, world, pipeline: Pipeline, other: Other) -> None:
        async with aclosing(pipeline.stream(call_with(world.key()))) as answers:
            first = asyncio.ensure_future(anext(answers))
            request = await other.instance.hear_request()
            await other.instance.answer_part(request, "1")
            assert (await first).payload.json == "1"
            await other.instance.answer_part(request, "2", finish=True)
            assert (await anext(answers)).last
        async with aclosing(pipeline.duplex(call_with(world.key(), data=None), parts("a"))) as answers:
            first = asyncio.ensure_future(anext(answers))
            request = await other.instance.hear_request()
            assert request.partialPredict.data.json == "a"
            await other.instance.answer(request, "3")
            assert (await first).payload.json == "3"

    async def test_its_refusal_reaches_the_caller(self, world, pipeline: Pipeline, other: Other) -> None:
        other.gate.handler.failure = Unavailable(why="so")
        with pytest.raises(DomainError) as refused:
            await pipeline.unary(call_with(world.key()))
        error = refused.value
        assert (error.code, error.status, error.details, error.retry_after_seconds) == (
            Unavailable.code, 503, {"why": "so"}, 1.0,
        )  # fmt: skip

    async def test_error_in_place_of_an_answer_reaches_the_caller(
        self, world, pipeline: Pipeline, other: Other
    ) -> None:
        def shape(_answer: Answer) -> Answer:
            raise UnexpectedAnswer(operation="chat", kind="no choices")

        async def streamed() -> None:
            async with aclosing(pipeline.stream(call_with(world.key()), shape)) as answers:
                await anext(answers)

        for asked in (pipeline.unary(call_with(world.key()), shape), streamed()):
            answering = asyncio.ensure_future(asked)
            said = '{"error":{"message":"busy","code":429}}'
            await other.instance.answer(await other.instance.hear_request(), said)
            with pytest.raises(InstanceError) as refused:
                await answering
            assert (refused.value.text, refused.value.status) == ("busy", 429)

    async def test_call_is_refused_when_no_gate_is_ready(self, world, pipeline: Pipeline, other: Other) -> None:
        other.gate.components.known.clear()
        with pytest.raises(Unavailable):
            await pipeline.unary(call_with(world.key()))
        assert other.gate.handler.calls == []
