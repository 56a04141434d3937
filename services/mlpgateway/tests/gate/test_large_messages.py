"""Requests and answers of megabytes over gRPC: the text stays bytes, and another process looks whether it is JSON."""

import asyncio

import grpc
import pytest

from mlpgateway.call.large_json import LARGE_BYTES, LargeText
from mlpgateway.entry.large_bodies.reader import APART_BYTES
from mlpgateway.instances.grpc.encoding import MARK, field
from mlplace_gateproto import gate_pb2 as pb

LARGE = [LARGE_BYTES, APART_BYTES]
"""Bytes: the gate itself looks at the first, another process at the second."""


def text_of(size: int, character: str = "x") -> str:
    return f'"{character * size}"'


def body_of(text: str) -> pb.PredictRequestProto:
    return pb.PredictRequestProto(data=pb.PayloadProto(json=text, dataType="t"), config=pb.PayloadProto(json='{"a":1}'))


@pytest.mark.parametrize("size", LARGE)
@pytest.mark.parametrize("character", ["x", "я"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
async def test_request_and_answer_arrive_whole(gate, client, instance, size, character, mark):
    text = text_of(size, character)
    call = client.process(
        pb.ClientRequestProto(authToken="k", predict=body_of(mark + text), headers={"Z-requestId": "r-1"})
    )
    heard = await instance.hear_request()
    assert heard.predict == body_of(text)
    assert type(gate.handler.calls[0].data) is LargeText
    said = pb.PredictResponseProto(data=pb.PayloadProto(json=mark + text, dataType="u"))
    await instance.say(pb.ServiceToGateProto(requestId=heard.requestId, predict=said, headers={"Z-own": "1"}))
    answer = pb.PredictResponseProto(data=pb.PayloadProto(json=text, dataType="u"))
    assert await call == pb.ClientResponseProto(predict=answer, headers={"Z-own": "1", "Z-requestId": "r-1"})


async def test_parts_and_answers_of_methods_arrive_whole(client, instance, request_of):
    text = text_of(LARGE_BYTES)
    call = client.processResponseStream(request_of(text, **{"Z-requestId": "r-1"}))
    heard = await instance.hear_request()
    part = pb.PartialPredictResponseProto(data=pb.PayloadProto(json=text), start=True, finish=False)
    await instance.say(pb.ServiceToGateProto(requestId=heard.requestId, partialPredict=part))
    headers = {"Z-requestId": "r-1"}
    assert await call.read() == pb.ClientResponseProto(partialPredict=part, headers=headers)
    await instance.answer_part(heard, text, finish=True)
    assert (await call.read()).partialPredict.finish
    assert await call.read() is grpc.aio.EOF

    ext = pb.ExtendedRequestProto(methodName="info", params={"a": pb.PayloadProto(json=text)})
    method = client.process(pb.ClientRequestProto(authToken="k", ext=ext, headers=headers))
    heard = await instance.hear_request()
    assert heard.ext == ext
    answer = pb.ExtendedResponseProto(data=pb.PayloadProto(json=text))
    await instance.say(pb.ServiceToGateProto(requestId=heard.requestId, ext=answer))
    assert await method == pb.ClientResponseProto(ext=answer, headers=headers)


async def test_first_part_of_a_streamed_request_arrives_whole(client, instance):
    text = text_of(APART_BYTES)
    call = client.processStream()
    part = pb.PartialPredictRequestProto(data=pb.PayloadProto(json=text), start=True, finish=True)
    await call.write(pb.ClientRequestProto(authToken="k", partialPredict=part))
    heard = await instance.hear_request()
    assert heard.partialPredict.data.json == text
    await instance.answer(heard, "1")
    assert (await call.read()).predict.data.json == "1"


def raw_request(*texts: bytes) -> bytes:
    """Returns a request for a prediction. The bytes of its texts are as given, which no message object would take."""
    payload = [part for text in texts for part in field(pb.PayloadProto.JSON_FIELD_NUMBER, [text])]
    data = field(pb.PredictRequestProto.DATA_FIELD_NUMBER, payload)
    predict = field(pb.ClientRequestProto.PREDICT_FIELD_NUMBER, data)
    return b"".join([pb.ClientRequestProto(authToken="k").SerializeToString(), *predict])


async def answer_to(gate, request: bytes) -> pb.ClientResponseProto:
    async with grpc.aio.insecure_channel(gate.address) as channel:
        return pb.ClientResponseProto.FromString(await channel.unary_unary("/com.mlp.gate.Gate/process")(request))


@pytest.mark.parametrize("size", LARGE)
@pytest.mark.parametrize(("begins", "ends"), [(b'"', b""), (b'"', b'\xff"'), (b'"', b'" 1'), (MARK.encode(), b"")])
async def test_text_that_is_no_json_is_refused_by_name(gate, instance, size, begins, ends):
    del instance
    answer = await answer_to(gate, raw_request(begins + b"x" * size + ends))
    assert (answer.error.status, dict(answer.error.args)) == (400, {"data": "must hold JSON"})
    assert gate.handler.calls == []


@pytest.mark.parametrize("last", ['"last"', text_of(APART_BYTES, "y")], ids=["small", "large"])
async def test_last_text_of_a_field_counts(gate, instance, last):
    call = asyncio.ensure_future(answer_to(gate, raw_request(text_of(LARGE_BYTES).encode(), last.encode())))
    heard = await instance.hear_request()
    assert heard.predict.data.json == last
    assert (type(gate.handler.calls[0].data) is LargeText) is (len(last) > LARGE_BYTES)
    await instance.answer(heard, "1")
    assert (await call).predict.data.json == "1"
