"""Instances that violate the protocol: their stream ends, nobody else is affected."""

import asyncio

import pytest

from mlplace_gateproto import gate_pb2 as pb


async def _expect_other_instance_serves(client, instance, request_of) -> None:
    call = client.process(request_of())
    await instance.answer(await instance.hear_request(), '"fine"')
    assert (await call).predict.data.json == '"fine"'


class TestFirstMessage:
    @pytest.mark.parametrize(
        "message",
        [
            pb.ServiceToGateProto(heartBeat=pb.HeartBeatProto()),
            pb.ServiceToGateProto(),
            pb.ServiceToGateProto(requestId=1, predict=pb.PredictResponseProto()),
        ],
    )
    async def test_other_first_message_ends_the_stream(self, client, scripted, connections, message):
        hostile = scripted(client)
        await hostile.say(message)
        assert [heard.error.code for heard in await hostile.hear_end()] == ["mlp-action.common.bad-request"]
        assert connections.opened == []

    async def test_garbage_ends_the_stream(self, gate, client, instance, request_of):
        hostile = await _raw_stream(gate.address, b"\xff\xff\xff\xff")
        assert [message.error.code for message in hostile] == ["mlp-action.common.bad-request"]
        await _expect_other_instance_serves(client, instance, request_of)


class TestNoMessage:
    @pytest.fixture
    def gate_options(self) -> dict[str, object]:
        return {"handshake_seconds": 0.5}

    async def test_silence_ends_the_stream(self, client, scripted):
        silent = scripted(client)
        heard = await silent.hear_end()
        assert heard[0].error.message == "the first message did not come in time"


class TestLaterMessages:
    @pytest.mark.parametrize(
        "frame",
        [
            b"\xff\xff\xff\xff",
            pb.ServiceToGateProto().SerializeToString(),
            b"\xba\x3e\x00",  # a member of the oneof that does not exist (field 999)
            pb.ServiceToGateProto(startServing=pb.StartServingProto(connectionToken="x")).SerializeToString(),
            b"\x0a\x02\xff\xfe" * 2,
        ],
    )
    async def test_forbidden_message_ends_only_that_stream(
        self, gate, client, scripted, instance, request_of, frame, instances
    ):
        heard = await _raw_stream(
            gate.address,
            pb.ServiceToGateProto(
                startServing=pb.StartServingProto(connectionToken=instances.add(66))
            ).SerializeToString(),
            frame,
        )
        assert heard[-1].error.code == "mlp-action.common.bad-request"
        assert [link.instance_id for link in gate.links.all()] == [11]
        await _expect_other_instance_serves(client, instance, request_of)

    async def test_message_above_the_limit_ends_only_that_stream(self, gate, client, scripted, instance, request_of):
        hostile = await scripted(client, 66).start()
        too_large = pb.PayloadProto(protobuf=b"x" * (100 * 1024 * 1024 + 1))
        message = pb.ServiceToGateProto(requestId=1, predict=pb.PredictResponseProto(data=too_large))
        saying = asyncio.create_task(hostile.say(message))
        assert await asyncio.wait_for(hostile.status(), 60) is not None
        saying.cancel()  # the gate does not read the rest, so the write may never end
        await asyncio.gather(saying, return_exceptions=True)
        assert [link.instance_id for link in gate.links.all()] == [11]
        await _expect_other_instance_serves(client, instance, request_of)

    async def test_answers_with_unknown_ids_are_dropped(self, client, scripted, instance, request_of):
        hostile = await scripted(client, 66, model_id=8).start()
        call = client.process(request_of())
        request = await instance.hear_request()
        stolen = pb.PredictResponseProto(data=pb.PayloadProto(json='"stolen"'))
        for number in (0, request.requestId, -1, 2**62):
            await hostile.say(pb.ServiceToGateProto(requestId=number, predict=stolen))
            await hostile.say(pb.ServiceToGateProto(requestId=number, error=pb.ApiErrorProto(code="x")))
        await hostile.say(pb.ServiceToGateProto(stopServing=pb.StopServingProto()))
        await hostile.finish()
        await hostile.hear_end()  # by then the gate has read all of it
        await instance.answer(request, '"mine"')
        assert (await call).predict.data.json == '"mine"'

    async def test_unrequested_messages_are_tolerated(self, client, instance, request_of):
        call = client.process(request_of())
        request = await instance.hear_request()
        number = request.requestId
        for message in (
            pb.ServiceToGateProto(requestId=number, batch=pb.BatchResponseProto()),
            pb.ServiceToGateProto(requestId=number, fit=pb.FitResponseProto()),
            pb.ServiceToGateProto(requestId=number, fitStatus=pb.FitStatusProto(percentage=5)),
            pb.ServiceToGateProto(requestId=number, status=pb.StatusResponseProto()),
        ):
            await instance.say(message)
        await instance.answer(request, '"fine"')
        assert (await call).predict.data.json == '"fine"'

    async def test_second_answer_is_dropped(self, client, instance, request_of):
        first = client.process(request_of())
        request = await instance.hear_request()
        await instance.answer(request, "1")
        await instance.answer(request, "2")
        assert (await first).predict.data.json == "1"
        await _expect_other_instance_serves(client, instance, request_of)

    async def test_answer_of_another_kind_fails_that_call(self, client, instance, request_of):
        call = client.process(request_of())
        request = await instance.hear_request()
        await instance.say(pb.ServiceToGateProto(requestId=request.requestId, ext=pb.ExtendedResponseProto()))
        assert (await call).error.code == "mlp-action.common.internal-error"

    async def test_error_args_may_have_any_name(self, client, instance, request_of):
        call = client.process(request_of())
        request = await instance.hear_request()
        args = {"self": "a", "code": "b", "": "c", "message": "d"}
        error = pb.ApiErrorProto(code="x.y", message="broken: ${message} ${gone}", args=args)
        await instance.say(pb.ServiceToGateProto(requestId=request.requestId, error=error))
        answer = await call
        assert (answer.error.code, answer.error.message, answer.error.status) == ("x.y", "broken: d ${gone}", 500)
        assert dict(answer.error.args) == args

    async def test_placeholders_cannot_inflate_a_message(self, client, instance, request_of):
        call = client.process(request_of())
        request = await instance.hear_request()
        error = pb.ApiErrorProto(code="x", message="${a}" * 100_000, args={"a": "y" * 1_000_000})
        await instance.say(pb.ServiceToGateProto(requestId=request.requestId, error=error))
        assert len((await call).error.message) <= 16_384


async def _raw_stream(address: str, *frames: bytes) -> list[pb.GateToServiceProto]:
    """Sends bytes as messages; returns all that the gate sends until the end of the stream."""
    import grpc

    async with grpc.aio.insecure_channel(address) as channel:
        call = channel.stream_stream("/com.mlp.gate.Gate/processAsync")()
        for frame in frames:
            await call.write(frame)
        heard = []
        while (data := await asyncio.wait_for(call.read(), 60)) is not grpc.aio.EOF:
            assert isinstance(data, bytes)
            heard.append(pb.GateToServiceProto.FromString(data))
        return heard
