"""Cancelled calls are cancelled at instances that support it. For slow readers nothing piles up."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing
from itertools import count

import pytest

from mlpgateway.call.call import Operation, Payload
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.instances.grpc.outgoing import ENOUGH_WAITING_SIZE
from mlplace import Service, Settings
from mlplace.hosting.host import serve_until
from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.flow import WINDOW_BYTES, cost_of
from mlplace_testing.waiting import eventually

REQUEST = InstanceRequest(Operation.PREDICT, Payload(json="1"), None, None, {}, {})
MEBIBYTE = 1024 * 1024


def part_request(text: str, *, start: bool = False, finish: bool = False) -> pb.ClientRequestProto:
    part = pb.PartialPredictRequestProto(data=pb.PayloadProto(json=text), start=start, finish=finish)
    return pb.ClientRequestProto(account="a", model="m", authToken="k", partialPredict=part)


@pytest.fixture
async def steered(client, scripted):
    """Returns an instance that supports what ours support."""
    instance = scripted(client, 21)
    start = pb.StartServingProto(connectionToken=instance._token, cancels=True, window=WINDOW_BYTES)
    return await instance.start(start)


async def hears_cancel(instance, request: pb.GateToServiceProto) -> None:
    message = await instance.hear_request()
    assert (message.WhichOneof("body"), message.requestId) == ("cancel", request.requestId)


class TestCancel:
    async def test_cancelled_unary_call_is_cancelled_at_the_instance(self, client, steered, request_of):
        call = client.process(request_of())
        request = await steered.hear_request()
        call.cancel()
        await hears_cancel(steered, request)

    async def test_cancelled_answer_stream_is_cancelled_at_the_instance(self, client, steered, request_of):
        call = client.processResponseStream(request_of())
        request = await steered.hear_request()
        await steered.answer_part(request, "1")
        await call.read()
        call.cancel()
        await hears_cancel(steered, request)

    async def test_cancelled_request_stream_is_cancelled_at_the_instance(self, client, steered):
        call = client.processStream()
        await call.write(part_request("1", start=True))
        await call.write(part_request("2"))
        request, _ = [await steered.hear_request() for _ in range(2)]
        call.cancel()
        await hears_cancel(steered, request)

    async def test_cancelled_recognition_is_cancelled_at_the_instance(self, client, steered):
        call = client.processRecognition()
        config = pb.AsrRequestProto(config=pb.RecognitionConfig())
        await call.write(pb.ClientAsrRequestProto(account="a", model="m", authToken="k", asr=config))
        for sound in (b"1", b"2"):  # the gate sends a piece when the next one is there: the last one is marked
            await call.write(pb.ClientAsrRequestProto(asr=pb.AsrRequestProto(audio_content=sound)))
        request = await steered.hear_request()
        call.cancel()
        await hears_cancel(steered, request)

    async def test_cancelled_synthesis_is_cancelled_at_the_instance(self, client, steered):
        call = client.processSynthesis(
            pb.ClientTtsRequestProto(account="a", model="m", tts=pb.TtsRequestProto(text="hi"))
        )
        request = await steered.hear_request()
        call.cancel()
        await hears_cancel(steered, request)

    async def test_batch_without_waiting_callers_is_cancelled(self, gate, steered):
        (link,) = gate.links.streams_of(7)
        one, two = link.send_batch([REQUEST, REQUEST])
        request = await steered.hear_request()
        await one.aclose()
        assert link.active_requests == 1
        await two.aclose()
        await hears_cancel(steered, request)

    async def test_answered_request_is_not_cancelled(self, gate, client, steered, request_of):
        for answer in (steered.answer, steered.answer_part):
            call = client.process(request_of())
            request = await steered.hear_request()
            await (answer(request, "1") if answer == steered.answer else answer(request, "1", finish=True))
            await call
        failed = client.process(request_of())
        request = await steered.hear_request()
        await steered.say(pb.ServiceToGateProto(requestId=request.requestId, error=pb.ApiErrorProto(code="x")))
        assert (await failed).error.code == "x"
        again = client.process(request_of())
        request = await steered.hear_request()
        assert request.WhichOneof("body") == "predict"
        await steered.answer(request, "1")
        await again

    async def test_unwritten_request_is_not_cancelled(self, gate, steered):
        (link,) = gate.links.streams_of(7)
        await link.send(REQUEST).aclose()
        link.send(REQUEST)
        assert (await steered.hear_request()).WhichOneof("body") == "predict"

    async def test_instances_without_support_get_no_cancel(self, client, instance, request_of):
        """Instances in use answer an unknown message with an error, or worse."""
        call = client.process(request_of())
        request = await instance.hear_request()
        assert not request.HasField("window")
        call.cancel()
        again = client.process(request_of())
        request = await instance.hear_request()
        assert request.WhichOneof("body") == "predict"
        await instance.answer(request, '"next"')
        assert (await again).predict.data.json == '"next"'


class TestInput:
    async def parts(self, number: Iterator[int], size: int) -> AsyncGenerator[Payload]:
        for _ in number:
            yield Payload(json="x" * size)

    async def test_input_in_flight_stays_within_the_instances_window(self, gate, steered):
        (link,) = gate.links.streams_of(7)
        size, read = 100_000, count()
        async with aclosing(link.send_stream(REQUEST, self.parts(read, size))):
            heard = [await steered.hear_request() for _ in range(3)]
            assert sum(cost_of(message.ByteSize()) for message in heard) > WINDOW_BYTES
            assert next(read) <= 5
            taken = sum(cost_of(message.ByteSize()) for message in heard)
            number = heard[0].requestId
            await steered.say(pb.ServiceToGateProto(requestId=number, flow=pb.FlowProto(taken=taken)))
            for _ in range(3):
                await steered.hear_request()
            assert next(read) <= 10

    async def test_input_stops_for_an_instance_without_a_window_that_reads_nothing(self, gate, instance):
        (link,) = gate.links.streams_of(7)
        read = count()
        async with aclosing(link.send_stream(REQUEST, self.parts(read, MEBIBYTE))):
            await settled(lambda: link.outgoing._size)
            assert link.outgoing._size <= ENOUGH_WAITING_SIZE + 2 * MEBIBYTE
            # gRPC's own buffers hold little.
            assert next(read) < 32


async def settled(value: Callable[[], object]) -> None:
    """Waits until the value has not changed for a while."""
    seen: list[object] = []

    async def same() -> bool:
        seen.append(value())
        return len(seen) > 20 and len(set(map(str, seen[-20:]))) == 1

    await eventually(same)


class TestSlowReaders:
    SIZE, MANY = 64 * 1024, 600

    @pytest.fixture
    async def made(self, gate, instances) -> AsyncGenerator[list[int]]:
        """The numbers of the parts that a model of the SDK has produced."""
        numbers: list[int] = []

        def predict(data: int) -> Iterator[str]:
            for number in range(data):
                numbers.append(number)
                yield f"{number}{'x' * self.SIZE}"

        environment = {
            "MLP_GRPC_HOSTS": gate.address,
            "MLP_GRPC_SECURE": "false",
            "MLP_SERVICE_TOKEN": instances.add(31),
        }
        settings = Settings.from_environment(environment)
        stop = asyncio.Event()
        serving = asyncio.create_task(serve_until(Service(predict), settings, stop))
        await asyncio.wait_for(gate.links.connected(7), 60)
        yield numbers
        stop.set()
        await serving

    async def test_model_produces_no_more_than_is_read(self, client, request_of, made):
        """Otherwise the gate would buffer the rest, 38 MiB here, or fail the call."""
        call = client.processResponseStream(request_of(str(self.MANY)))
        first = await call.read()
        await settled(lambda: len(made))
        assert len(made) * self.SIZE < 16 * MEBIBYTE
        parts = [first, *[await call.read() for _ in range(self.MANY - 1)]]
        assert [int(part.partialPredict.data.json[1:].split("x")[0]) for part in parts] == list(range(self.MANY))
        assert parts[-1].partialPredict.finish

    async def test_cancelled_reader_stops_the_model(self, gate, client, request_of, made):
        call = client.processResponseStream(request_of(str(self.MANY)))
        await call.read()
        call.cancel()
        await settled(lambda: len(made))
        assert len(made) * self.SIZE < 16 * MEBIBYTE
        again = client.processResponseStream(request_of("1"))
        assert len([message async for message in again]) == 1
