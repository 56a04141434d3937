"""Tests callers that leave and callers that read slowly."""

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator

import pytest

import mlplace
from mlplace.hosting.exchange import Exchange
from mlplace_gateproto import gate_pb2
from mlplace_gateproto.flow import WINDOW_BYTES, cost_of


def predict_request(text: str = "1") -> gate_pb2.PredictRequestProto:
    return gate_pb2.PredictRequestProto(data=gate_pb2.PayloadProto(json=text))


def part(text: str, *, start: bool = False, finish: bool = False) -> gate_pb2.PartialPredictRequestProto:
    return gate_pb2.PartialPredictRequestProto(data=gate_pb2.PayloadProto(json=text), start=start, finish=finish)


class TestCancel:
    async def test_the_instance_announces_that_it_accepts_cancels(self, gate, settings_for, host):
        async def predict(data: int) -> int:
            return data

        host(predict, settings_for(gate))
        hello = (await gate.stream()).hello
        assert (hello.cancels, hello.window) == (True, WINDOW_BYTES)

    async def test_a_coroutine_is_cancelled_and_its_slot_is_free_at_once(self, gate, settings_for, host, until):
        begun, ended = asyncio.Event(), asyncio.Event()

        async def predict(data: int) -> int:
            if data == 2:
                return data
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                ended.set()
            return data

        host(predict, settings_for(gate, MLP_THREAD_POOL_SIZE="1"))
        stream = await gate.stream()
        request_id = await stream.ask(predict=predict_request())
        await asyncio.wait_for(begun.wait(), 60)
        await stream.send(requestId=request_id, cancel=gate_pb2.CancelProto())
        await asyncio.wait_for(ended.wait(), 60)
        assert (await stream.predict("2")).predict.data.json == "2"
        assert stream.answers[request_id].empty()

    async def test_a_plain_function_can_check_for_cancellation(self, gate, settings_for, host):
        begun, asked, cancelled = threading.Event(), threading.Event(), threading.Event()

        def predict(data: int, context: mlplace.Context) -> int:
            begun.set()
            asked.wait(60)
            while True:
                try:
                    context.raise_if_cancelled()
                except mlplace.CallCancelledError:
                    cancelled.set()
                    raise

        host(predict, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(predict=predict_request())
        await asyncio.to_thread(begun.wait, 30)
        await stream.send(requestId=request_id, cancel=gate_pb2.CancelProto())
        asked.set()
        assert await asyncio.to_thread(cancelled.wait, 30)

    async def test_a_cancel_closes_a_generator_in_a_thread(self, gate, settings_for, host):
        closed = threading.Event()

        def predict(data: int) -> Iterator[int]:
            try:
                while True:
                    yield data
            finally:
                closed.set()

        host(predict, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(predict=predict_request(), window=1)
        await stream.answer(request_id)
        await stream.send(requestId=request_id, cancel=gate_pb2.CancelProto())
        assert await asyncio.to_thread(closed.wait, 30)

    async def test_a_cancel_raises_in_a_thread_that_reads_input(self, gate, settings_for, host):
        read: list[object] = []
        begun, over = threading.Event(), threading.Event()

        def predict(data: Iterator[int]) -> int:
            begun.set()
            try:
                read.extend(data)
                read.append("the end")
            finally:
                over.set()
            return 0

        host(predict, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(partialPredict=part("1", start=True))
        assert await asyncio.to_thread(begun.wait, 30)  # a call that is cancelled earlier never runs
        await stream.send(requestId=request_id, cancel=gate_pb2.CancelProto())
        assert await asyncio.to_thread(over.wait, 30)
        assert "the end" not in read

    async def test_a_broken_stream_cancels_its_calls(self, gate, settings_for, host):
        begun, cancelled = threading.Event(), threading.Event()

        def predict(data: int, context: mlplace.Context) -> int:
            begun.set()
            while not context.cancelled:
                pass
            cancelled.set()
            return data

        host(predict, settings_for(gate))
        stream = await gate.stream()
        await stream.ask(predict=predict_request())
        await asyncio.to_thread(begun.wait, 30)
        await gate.stop()
        assert await asyncio.to_thread(cancelled.wait, 30)

    async def test_a_cancel_of_an_ended_call_changes_nothing(self, gate, settings_for, host):
        async def predict(data: int) -> int:
            return data

        host(predict, settings_for(gate))
        stream = await gate.stream()
        await stream.send(requestId=77, cancel=gate_pb2.CancelProto())
        await stream.send(requestId=78, flow=gate_pb2.FlowProto(taken=5))
        assert (await stream.predict("3")).predict.data.json == "3"
        assert 77 not in stream.answers


class TestWindow:
    @pytest.mark.parametrize("kind", ["async", "plain"])
    async def test_a_generator_produces_no_more_than_the_gate_reads(self, gate, settings_for, host, until, kind):
        made: list[int] = []

        def plain(data: int) -> Iterator[str]:
            for number in range(data):
                made.append(number)
                yield "x" * 1000

        async def coroutine(data: int) -> AsyncIterator[str]:
            for text in plain(data):
                yield text

        host(plain if kind == "plain" else coroutine, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(predict=predict_request("50"), window=10_000)
        sizes = [(await stream.answer(request_id)).ByteSize() for _ in range(7)]
        # One part is held back until it is known whether it is the last, and the next one is being produced.
        assert len(made) <= 9
        assert stream.answers[request_id].empty()
        taken = sum(size + 512 for size in sizes)
        await stream.send(requestId=request_id, flow=gate_pb2.FlowProto(taken=taken))
        for _ in range(7):
            await stream.answer(request_id)
        await stream.send(requestId=request_id, flow=gate_pb2.FlowProto(taken=2 * taken))
        await stream.send(requestId=request_id, cancel=gate_pb2.CancelProto())

    async def test_an_acknowledgement_during_a_full_stream_counts(self):
        sent: list[gate_pb2.ServiceToGateProto] = []

        async def send(message: gate_pb2.ServiceToGateProto) -> None:
            """Acknowledges the message before it returns."""
            sent.append(message)
            exchange.taken(sum(cost_of(each.ByteSize()) for each in sent))

        exchange = Exchange(gate_pb2.GateToServiceProto(requestId=1, window=1), send)
        for start in (True, False):
            await asyncio.wait_for(exchange.part(None, {}, start=start, finish=False), 60)
        assert len(sent) == 2

    async def test_the_instance_reports_how_much_input_it_has_read(self, gate, settings_for, host):
        go_on = asyncio.Event()

        async def predict(data: AsyncIterator[str]) -> int:
            await go_on.wait()
            return len([text async for text in data])

        host(predict, settings_for(gate))
        stream = await gate.stream()
        large = part(f'"{"x" * WINDOW_BYTES}"', start=True)
        request_id = await stream.ask(partialPredict=large, window=WINDOW_BYTES)
        go_on.set()
        assert (await stream.answer(request_id)).flow.taken > WINDOW_BYTES
        await stream.ask(partialPredict=part('"end"', finish=True), request_id=request_id, window=WINDOW_BYTES)
        assert (await stream.answer(request_id)).predict.data.json == "2"

    async def test_a_gate_without_a_window_gets_no_reports(self, gate, settings_for, host):
        async def predict(data: AsyncIterator[str]) -> int:
            return len([text async for text in data])

        host(predict, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(partialPredict=part(f'"{"x" * WINDOW_BYTES}"', start=True))
        await stream.ask(partialPredict=part('"end"', finish=True), request_id=request_id)
        assert (await stream.answer(request_id)).predict.data.json == "2"
