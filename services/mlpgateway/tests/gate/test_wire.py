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
    def test_is_the_message_that_a_small_one_is(self, text: str) -> None:
        ways = itertools.product((None, "", "t" * 200), (None, CONFIG), (None, 2**20), ({}, {"Z-a": "я", "Z-b": "2"}))
        for data_type, config, window, headers in ways:
            known = wire.request_to_wire(
                2**40, request_of(Payload(json=text, data_type=data_type), config, **headers), window=window
            )
            put = wire.request_to_wire(2**40, request_of(large(text, data_type), config, **headers), window=window)
            assert pb.GateToServiceProto.FromString(put) == pb.GateToServiceProto.FromString(known)
            assert len(put) == len(known)

    def test_may_be_written_again(self) -> None:
        data = large('"я"' * 1000)
        for number in (1, 300, 2):
            message = pb.GateToServiceProto.FromString(wire.request_to_wire(number, request_of(data)))
            assert (message.requestId, message.predict.data.json) == (number, '"я"' * 1000)
            assert data.json == '"я"' * 1000

    def test_lies_in_memory_once_when_it_is_written(self) -> None:
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


def test_a_method_without_name_and_params_is_one_all_the_same() -> None:
    message = wire.request_to_wire(1, InstanceRequest(Operation.EXT, None, None, None, {}, {}))
    assert pb.GateToServiceProto.FromString(message).WhichOneof("body") == "ext"


class TestMessagesOfMillionsOfFields:
    """A parser builds an object of each: ten megabytes of them held the gate for a second."""

    @pytest.mark.parametrize(
        "message",
        [
            pb.ClientRequestProto(headers={str(place): "" for place in range(10_000)}),
            pb.ClientRequestProto(
                ext=pb.ExtendedRequestProto(params={str(place): pb.PayloadProto() for place in range(10_000)})
            ),
        ],
    )
    def test_are_refused_before_they_are_parsed(self, message: pb.ClientRequestProto) -> None:
        with pytest.raises(MalformedRequest):
            wire.parsed(pb.ClientRequestProto, message.SerializeToString())

    def test_are_refused_behind_what_no_client_writes(self) -> None:
        group = b"\x9b\x7d\x9c\x7d"  # of an unknown field: a parser skips it
        message = pb.ClientRequestProto(headers={str(place): "" for place in range(10_000)}).SerializeToString()
        with pytest.raises(MalformedRequest):
            wire.parsed(pb.ClientRequestProto, group + message)

    def test_are_refused_of_instances(self) -> None:
        message = pb.ServiceToGateProto(headers={str(place): "" for place in range(10_000)})
        with pytest.raises(DecodeError):
            wire.answer_from_wire(message.SerializeToString())

    def test_large_ones_of_few_fields_pass(self) -> None:
        message = pb.ClientRequestProto(account="a", headers={"z-a": "b"})
        message.predict.data.json = '"' + "a" * 200_000 + '"'
        message.predict.config.json = "{}"
        assert wire.parsed(pb.ClientRequestProto, message.SerializeToString()) == message
