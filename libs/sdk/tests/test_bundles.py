"""Tests bundles of answers that are ready at the same time."""

from collections.abc import AsyncIterator

from mlplace.hosting.stream import bundled
from mlplace_gateproto import gate_pb2


def answer(number: int, size: int = 1) -> gate_pb2.ServiceToGateProto:
    data = gate_pb2.PayloadProto(json="1" * size)
    return gate_pb2.ServiceToGateProto(requestId=number, predict=gate_pb2.PredictResponseProto(data=data))


def numbers(messages: list[gate_pb2.ServiceToGateProto]) -> list[list[int]]:
    return [[m.requestId for m in message.bundle.messages] or [message.requestId] for message in messages]


class TestBundled:
    def test_consecutive_small_messages_are_bundled_and_all_keep_their_order(self) -> None:
        messages = [answer(1), answer(2), answer(3, 100_000), answer(4), answer(5, 100_000), answer(6), answer(7)]
        assert numbers(list(bundled(messages))) == [[1, 2], [3], [4], [5], [6, 7]]

    def test_a_single_message_is_not_bundled(self) -> None:
        assert not next(bundled([answer(1)])).HasField("bundle")


class TestStream:
    async def test_answers_are_bundled_only_for_a_gate_that_accepts_bundles(self, gate, settings_for, host) -> None:
        async def predict(data: int) -> AsyncIterator[int]:
            for number in range(data):
                yield number

        host(predict, settings_for(gate))
        stream = await gate.stream()
        parts = gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json="50"))
        for takes in (False, True):
            await stream.send(serviceInfo=gate_pb2.ServiceInfoProto(bundles=takes))
            request_id, bundles = await stream.ask(predict=parts), stream.bundles
            seen = [(await stream.answer(request_id)).partialPredict.data.json for _ in range(50)]
            assert seen == [str(number) for number in range(50)]
            assert (stream.bundles > bundles) is takes

    async def test_the_instance_announces_bundles_and_answers_all_requests_of_one(
        self, gate, settings_for, host
    ) -> None:
        async def predict(data: int) -> int:
            return data

        host(predict, settings_for(gate))
        stream = await gate.stream()
        assert stream.hello.bundles
        asked = [
            gate_pb2.GateToServiceProto(
                requestId=number,
                predict=gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json=str(number * 10))),
            )
            for number in (1, 2, 3)
        ]
        for each in asked:
            stream.expect(each.requestId)
        await stream.send(bundle=gate_pb2.RequestBundleProto(messages=asked))
        assert [(await stream.answer(number)).predict.data.json for number in (1, 2, 3)] == ["10", "20", "30"]
