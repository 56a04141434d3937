"""Answers at the wrong time, of the wrong size or to the wrong request, and callers with irregular parts."""

import asyncio

import grpc
import pytest

from mlplace_gateproto import gate_pb2 as pb
from mlplace_gateproto.limits import MAX_MESSAGE_BYTES
from mlplace_testing.waiting import eventually

STOLEN = pb.PayloadProto(json='"stolen"')


def _whole(number: int, **headers: str) -> pb.ServiceToGateProto:
    return pb.ServiceToGateProto(requestId=number, predict=pb.PredictResponseProto(data=STOLEN), headers=headers)


def _part(number: int, *, finish: bool) -> pb.ServiceToGateProto:
    part = pb.PartialPredictResponseProto(data=STOLEN, finish=finish)
    return pb.ServiceToGateProto(requestId=number, partialPredict=part)


def _anything(number: int) -> list[pb.ServiceToGateProto]:
    """Returns every message that an instance can send about a request."""
    items = [pb.BatchPayloadResponseProto(requestId=number, predict=pb.PredictResponseProto(data=STOLEN))]
    return [
        _whole(number),
        _part(number, finish=False),
        _part(number, finish=True),
        _part(number, finish=True),
        pb.ServiceToGateProto(requestId=number, ext=pb.ExtendedResponseProto(data=STOLEN)),
        pb.ServiceToGateProto(requestId=number, batch=pb.BatchResponseProto(data=items)),
        pb.ServiceToGateProto(requestId=number, error=pb.ApiErrorProto(code="stolen")),
    ]


async def _parts(call) -> list[str]:
    """Returns the texts of the parts; an error's code comes last."""
    return [message.error.code or message.partialPredict.data.json for message in [each async for each in call]]


class TestAnswersAtTheWrongTime:
    async def test_answer_after_the_last_part_is_dropped(self, client, instance, request_of) -> None:
        calls = {text: client.processResponseStream(request_of(text)) for text in ('"one"', '"two"')}
        for request in [await instance.hear_request() for _ in calls]:
            text = request.predict.data.json
            await instance.answer_part(request, text)
            await instance.answer_part(request, text, finish=True)
            for message in _anything(request.requestId):
                await instance.say(message)
        for text, call in calls.items():
            assert await _parts(call) == [text, text]

    async def test_answer_after_the_caller_left_is_dropped(self, gate, client, instance, request_of) -> None:
        call = client.processResponseStream(request_of())
        request = await instance.hear_request()
        await instance.answer_part(request, '"a"')
        await call.read()
        call.cancel()
        (link,) = gate.links.all()
        await eventually(lambda: _value(link.active_requests == 0))
        for message in _anything(request.requestId):
            await instance.say(message)
        again = client.process(request_of())
        other = await instance.hear_request()
        assert other.requestId != request.requestId, "a number is used once"
        await instance.answer(other, '"mine"')
        assert (await again).predict.data.json == '"mine"'

    async def test_answer_to_a_future_request_is_dropped(self, client, instance, request_of) -> None:
        for number in range(1, 50):
            for message in _anything(number):
                await instance.say(message)
        for text in ('"x"', '"y"'):
            call = client.process(request_of())
            await instance.answer(await instance.hear_request(), text)
            assert (await call).predict.data.json == text

    async def test_instance_cannot_answer_requests_of_another_instance(
        self, gate, client, instance, scripted, request_of
    ) -> None:
        call = client.process(request_of())
        request = await instance.hear_request()
        hostile = await scripted(client, 66).start()
        for number in (request.requestId, 0, -1, 2**62):
            for message in _anything(number):
                await hostile.say(message)
        await hostile.say(pb.ServiceToGateProto(stopServing=pb.StopServingProto()))
        await hostile.finish()
        await hostile.hear_end()  # by then the gate has read all of it
        await instance.answer(request, '"mine"')
        assert (await call).predict.data.json == '"mine"'
        assert [link.instance_id for link in gate.links.all()] == [11]


class TestAnswersOfTheWrongSize:
    async def test_huge_headers_cost_at_most_their_own_answer(self, client, instance, request_of) -> None:
        call = client.process(request_of())
        request = await instance.hear_request()
        headers = {f"Z-{number}": "x" * 100_000 for number in range(200)}
        await instance.say(_whole(request.requestId, **headers))
        answer = await call
        assert answer.predict.data.json == '"stolen"' or answer.error.code
        again = client.process(request_of())
        await instance.answer(await instance.hear_request(), '"fine"')
        assert (await again).predict.data.json == '"fine"'

    async def test_flood_of_unread_parts_fails_the_call(self, gate, client, instance, request_of) -> None:
        call = client.processResponseStream(request_of())
        request = await instance.hear_request()
        (link,) = gate.links.all()
        part = pb.PartialPredictResponseProto(data=pb.PayloadProto(json='"' + "x" * 1_000_000 + '"'))
        message = pb.ServiceToGateProto(requestId=request.requestId, partialPredict=part)
        for _ in range(200):
            await instance.say(message)
        await eventually(lambda: _value(link.active_requests == 0), seconds=60)
        call.cancel()
        again = client.process(request_of())
        await instance.answer(await instance.hear_request(), '"fine"')
        assert (await again).predict.data.json == '"fine"'


class TestHostileCallers:
    """Callers of processStream can only break their own call with irregular parts."""

    @pytest.mark.parametrize(
        "second",
        [
            pb.ClientRequestProto(predict=pb.PredictRequestProto(data=STOLEN)),
            pb.ClientRequestProto(account="other", model="other", authToken="x", ext=pb.ExtendedRequestProto()),
            pb.ClientRequestProto(),
            pb.ClientRequestProto(partialPredict=pb.PartialPredictRequestProto(data=STOLEN, start=True)),
        ],
    )
    async def test_parts_out_of_order_end_in_an_answer_or_an_error(self, gate, client, instance, second) -> None:
        start = pb.PartialPredictRequestProto(data=pb.PayloadProto(json='"a"'), start=True)
        first = pb.ClientRequestProto(account="acme", model="ner", authToken="k", partialPredict=start)
        call = client.processStream()
        await call.write(first)
        await call.write(second)
        await call.done_writing()
        serving = asyncio.create_task(_answer_whatever_comes(instance))
        (link,) = gate.links.all()
        outcome = await asyncio.wait_for(_parts(call), 60)
        assert len(outcome) == 1
        await eventually(lambda: _value(link.active_requests == 0))
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)

    async def test_parts_after_the_last_one_are_not_passed_on(self, gate, client, instance, request_of) -> None:
        last = pb.PartialPredictRequestProto(data=pb.PayloadProto(json='"a"'), start=True, finish=True)
        request = pb.ClientRequestProto(account="acme", model="ner", authToken="k", partialPredict=last)
        call = client.processStream()
        for _ in range(50):
            await call.write(request)
        await call.done_writing()
        heard = await instance.hear_request()
        assert heard.partialPredict.finish
        await instance.answer_part(heard, '"only"', finish=True)
        assert await _parts(call) == ['"only"']
        again = client.process(request_of())
        assert (await instance.hear_request()).HasField("predict"), "the other parts came to nobody"
        again.cancel()

    async def test_part_above_the_limit_ends_only_that_call(self, client, instance, request_of) -> None:
        start = pb.PartialPredictRequestProto(data=pb.PayloadProto(json='"a"'), start=True)
        call = client.processStream()
        await call.write(pb.ClientRequestProto(account="acme", model="ner", authToken="k", partialPredict=start))
        large = pb.PayloadProto(protobuf=b"x" * (MAX_MESSAGE_BYTES + 1))
        message = pb.ClientRequestProto(partialPredict=pb.PartialPredictRequestProto(data=large))
        saying = asyncio.create_task(call.write(message))
        assert await asyncio.wait_for(call.code(), 60) is not grpc.StatusCode.OK
        saying.cancel()
        await asyncio.gather(saying, return_exceptions=True)
        again = client.process(request_of())
        while not (request := await instance.hear_request()).HasField("predict"):
            pass
        await instance.answer(request, '"fine"')
        assert (await again).predict.data.json == '"fine"'


async def _answer_whatever_comes(instance) -> None:
    while True:
        request = await instance.hear_request()
        if request.HasField("partialPredict") and request.partialPredict.finish:
            await instance.answer_part(request, '"done"', finish=True)


async def _value(value):
    return value
