"""Requests as they are written to instances."""

import itertools
import tracemalloc

import pytest
from google.protobuf.message import DecodeError

from mlpgateway.call.call import Operation, Payload
from mlpgateway.call.large_json import LARGE_BYTES, LargeText, TextBuffer
from mlpgateway.call.transport import InstanceRequest
from mlpgateway.instances.grpc import wire
from mlplace_gateproto import gate_pb2 as pb
from mlplace_kit.errors import MalformedRequest

CONFIG = Payload(json='{"depth": 3}')


def request_of(data: Payload, config: Payload | None = CONFIG, **headers: str) -> InstanceRequest:
    return InstanceRequest(Operation.PREDICT, data, config, None, {}, headers)


def large(text: str, data_type: str | None = None) -> LargeText:
    return LargeText(source=TextBuffer(text.encode()), data_type=data_type)


class TestALargeRequest:
    @pytest.mark.parametrize(
        "text", ["", "1", "x" * 127, "x" * 128, "я" * 8191, "\U0001f600" * 100_000, "\0" * 2**21], ids=len
    )
    def test_large_request_equals_the_ordinary_message(self, text: str) -> None:
        ways = itertools.product((None, "", "t" * 200), (None, CONFIG), (None, 2**20), ({}, {"Z-a": "я", "Z-b": "2"}))
        for data_type, config, window, headers in ways:
            known = wire.request_to_wire(
                2**40, request_of(Payload(json=text, data_type=data_type), config, **headers), window=window
            )
            put = wire.request_to_wire(2**40, request_of(large(text, data_type), config, **headers), window=window)
            assert pb.GateToServiceProto.FromString(put) == pb.GateToServiceProto.FromString(known)
            assert len(put) == len(known)

    def test_request_can_be_written_twice(self) -> None:
        data = large('"я"' * 1000)
        for number in (1, 300, 2):
            message = pb.GateToServiceProto.FromString(wire.request_to_wire(number, request_of(data)))
            assert (message.requestId, message.predict.data.json) == (number, '"я"' * 1000)
            assert data.json == '"я"' * 1000

    def test_text_is_in_memory_once_after_writing(self) -> None:
        size = 8 * LARGE_BYTES
        tracemalloc.start()
        try:
            data = LargeText(source=TextBuffer(bytearray(size)))
            message = wire.request_to_wire(1, request_of(data))
            held, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert len(message) > size
        assert held < 1.5 * size
        assert most < 2.5 * size


def test_method_without_name_and_params_is_still_a_method() -> None:
    message = wire.request_to_wire(1, InstanceRequest(Operation.EXT, None, None, None, {}, {}))
    assert pb.GateToServiceProto.FromString(message).WhichOneof("body") == "ext"


class TestMessagesOfMillionsOfFields:
    """A parser creates an object for each field: ten megabytes of them blocked the gate for a second."""

    @pytest.mark.parametrize(
        "message",
        [
            pb.ClientRequestProto(headers={str(place): "" for place in range(10_000)}),
            pb.ClientRequestProto(
                ext=pb.ExtendedRequestProto(params={str(place): pb.PayloadProto() for place in range(10_000)})
            ),
        ],
    )
    def test_message_is_refused_before_parsing(self, message: pb.ClientRequestProto) -> None:
        with pytest.raises(MalformedRequest):
            wire.parsed(pb.ClientRequestProto, message.SerializeToString())

    def test_message_with_unknown_groups_is_refused(self) -> None:
        group = b"\x9b\x7d\x9c\x7d"  # of an unknown field, which a parser skips
        message = pb.ClientRequestProto(headers={str(place): "" for place in range(10_000)}).SerializeToString()
        with pytest.raises(MalformedRequest):
            wire.parsed(pb.ClientRequestProto, group + message)

    def test_instances_message_is_refused(self) -> None:
        message = pb.ServiceToGateProto(headers={str(place): "" for place in range(10_000)})
        with pytest.raises(DecodeError):
            wire.answer_from_wire(message.SerializeToString())

    def test_large_message_of_few_fields_passes(self) -> None:
        message = pb.ClientRequestProto(account="a", headers={"z-a": "b"})
        message.predict.data.json = '"' + "a" * 200_000 + '"'
        message.predict.config.json = "{}"
        assert wire.parsed(pb.ClientRequestProto, message.SerializeToString()) == message
