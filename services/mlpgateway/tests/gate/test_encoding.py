"""Cutting large texts out of answers gives the same result as the library's parser."""

import random

import pytest
from google.protobuf.message import DecodeError

from mlpgateway.call.large_json import LARGE_BYTES, LargeText, is_utf8
from mlpgateway.instances.grpc import wire
from mlpgateway.instances.grpc.encoding import MARK, cut, field
from mlplace_gateproto import gate_pb2 as pb

TEXT = '"' + "я" * LARGE_BYTES + '"'
ROUTE = {101: {101: {101: None}}, 103: {1: {101: None}}, 107: {101: {101: None}}}


def predicted(text: str) -> pb.ServiceToGateProto:
    data = pb.PayloadProto(json=text, dataType="t")
    return pb.ServiceToGateProto(requestId=2**50, predict=pb.PredictResponseProto(data=data), headers={"Z-a": "1"})


def done(text: str) -> pb.ServiceToGateProto:
    data = pb.PayloadProto(json=text)
    return pb.ServiceToGateProto(requestId=3, ext=pb.ExtendedResponseProto(data=data))


def part(text: str) -> pb.ServiceToGateProto:
    data = pb.PayloadProto(json=text)
    partial = pb.PartialPredictResponseProto(data=data, start=False, finish=True)
    return pb.ServiceToGateProto(requestId=4, partialPredict=partial)


def payload_in(message: pb.ServiceToGateProto) -> pb.PayloadProto:
    return getattr(message, message.WhichOneof("body") or "predict").data


@pytest.mark.parametrize("made", [predicted, done, part])
class TestALargeText:
    def test_large_text_is_cut_out_and_the_rest_stays(self, made) -> None:
        data = made(TEXT).SerializeToString()
        message, text = wire.answer_from_wire(data)
        payload = wire.payload_from_wire(payload_in(message), text)
        assert type(payload) is LargeText
        assert payload.source.view.obj is data
        assert payload.json == TEXT
        assert message == made(MARK)

    def test_invalid_utf8_is_malformed_like_in_a_small_text(self, made) -> None:
        for text in (TEXT, "я" * 10):
            data = made(text).SerializeToString().replace("я".encode(), b"\xffx", 1)
            with pytest.raises(DecodeError):
                wire.answer_from_wire(data)

    def test_small_text_stays(self, made) -> None:
        message, text = wire.answer_from_wire(made("1").SerializeToString())
        assert (message, text) == (made("1"), None)


class TestOtherMessages:
    def test_bytes_and_large_headers_stay(self) -> None:
        data = pb.PayloadProto(protobuf=b"\xff" * LARGE_BYTES)
        for message in (
            pb.ServiceToGateProto(predict=pb.PredictResponseProto(data=data)),
            pb.ServiceToGateProto(predict=pb.PredictResponseProto(), headers={"a": "x" * LARGE_BYTES}),
            pb.ServiceToGateProto(bundle=pb.BundleProto(messages=[predicted(TEXT)])),
        ):
            assert wire.answer_from_wire(message.SerializeToString()) == (message, None)

    def test_later_field_overrides_the_text(self) -> None:
        later = (pb.ServiceToGateProto(error=pb.ApiErrorProto(code="c")), predicted("2"), done("3"))
        for other in later:
            message, text = wire.answer_from_wire(predicted(TEXT).SerializeToString() + other.SerializeToString())
            assert message.WhichOneof("body") == other.WhichOneof("body")
            if not message.HasField("error"):
                assert wire.payload_from_wire(payload_in(message), text).json == payload_in(other).json


class TestAFrameOfVeryManyFields:
    """Examining each of them would block the gate."""

    TINY = pb.ServiceToGateProto(requestId=1).SerializeToString()

    def test_text_behind_too_many_fields_is_left_to_the_parser(self) -> None:
        frame = self.TINY * 2000 + predicted(TEXT).SerializeToString()
        assert wire.answer_from_wire(frame) == (predicted(TEXT), None)

    def test_fields_of_nested_messages_are_counted_together(self) -> None:
        data = pb.PayloadProto(dataType="t").SerializeToString() * 600
        within = b"".join(field(101, field(101, [data])))
        found = cut(within + predicted(TEXT).SerializeToString(), ROUTE, least=600)
        assert found is not None
        assert cut(within * 2 + predicted(TEXT).SerializeToString(), ROUTE, least=600) is None

    def test_few_hundred_fields_are_not_too_many(self) -> None:
        frame = self.TINY * 500 + predicted(TEXT).SerializeToString()
        message, text = wire.answer_from_wire(frame)
        assert (message, text) == (predicted(MARK), TEXT.encode())


@pytest.mark.parametrize("seed", range(8))
def test_any_bytes_give_the_same_result_as_the_librarys_parser(seed: int) -> None:
    chance = random.Random(seed)
    known = [made("text of it").SerializeToString() for made in (predicted, done, part)]
    compared = 0
    for _ in range(4000):
        data = bytearray(chance.choice(known))
        for _ in range(chance.randint(1, 3)):
            data[chance.randrange(len(data))] = chance.randrange(256)
        if chance.random() < 0.3:
            data = data[: chance.randrange(len(data))] + bytearray(chance.choice(known))
        found = cut(bytes(data), ROUTE, least=1)
        whole = parsed(bytes(data))
        if found is None:
            continue
        small = parsed(found[0])
        if small is None or whole is None:
            assert whole is None
            assert small is None or not is_utf8(found[1])
            continue
        if payload_in(small).HasField("json") and payload_in(small).json == MARK:
            payload_in(small).json = str(found[1], "utf-8")
        assert small == whole
        compared += 1
    assert compared > 100


def parsed(data: bytes) -> pb.ServiceToGateProto | None:
    try:
        return pb.ServiceToGateProto.FromString(data)
    except DecodeError:
        return None
