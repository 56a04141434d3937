"""Tests answers and input in parts."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator

import pytest
from pydantic import BaseModel

import mlplace
from mlplace_gateproto import gate_pb2


class Name(BaseModel):
    name: str


def greet(data: Name) -> str:
    return f"Hello, {data.name}"


def payload(value) -> gate_pb2.PayloadProto:
    return gate_pb2.PayloadProto(json=json.dumps(value))


async def parts_of(stream, request_id) -> list:
    parts = []
    while True:
        message = await stream.answer(request_id)
        parts.append(message)
        if message.WhichOneof("body") == "error" or message.partialPredict.finish:
            return parts


class TestStreamedAnswer:
    @pytest.mark.parametrize("count", [0, 1, 3])
    async def test_a_generator_answers_in_parts_and_the_last_is_marked(self, gate, settings_for, host, count):
        def predict(data: int, context: mlplace.Context) -> Iterator[int]:
            for number in range(data):
                context.bill(number + 1)
                yield number

        host(predict, settings_for(gate))
        stream = await gate.stream()
        parts = await parts_of(stream, await stream.ask(predict=gate_pb2.PredictRequestProto(data=payload(count))))
        assert [part.partialPredict.data.json for part in parts if part.partialPredict.HasField("data")] == [
            str(number) for number in range(count)
        ]
        assert [part.partialPredict.start for part in parts] == [True] + [False] * (len(parts) - 1)
        assert [part.partialPredict.finish for part in parts] == [False] * (len(parts) - 1) + [True]
        billed = [part.headers["Z-custom-billing"] for part in parts if "Z-custom-billing" in part.headers]
        assert billed == [str(number + 1) for number in range(count)]

    async def test_a_part_that_json_does_not_have_ends_the_answer_after_those_before_it(self, gate, settings_for, host):
        def predict(data: int) -> Iterator[float]:
            yield 1.5
            yield float("nan")
            yield 2.5

        host(predict, settings_for(gate))
        stream = await gate.stream()
        parts = await parts_of(stream, await stream.ask(predict=gate_pb2.PredictRequestProto(data=payload(1))))
        assert [part.WhichOneof("body") for part in parts] == ["partialPredict", "error"]
        assert parts[0].partialPredict.data.json == "1.5"
        assert parts[1].error.message == "answer is nan, which JSON does not have"

    async def test_an_async_generator_that_fails_ends_with_an_error(self, gate, settings_for, host):
        async def predict(data: int) -> AsyncIterator[int]:
            yield data
            yield data
            raise RuntimeError("ran dry")

        host(predict, settings_for(gate))
        stream = await gate.stream()
        parts = await parts_of(stream, await stream.ask(predict=gate_pb2.PredictRequestProto(data=payload(5))))
        assert [part.WhichOneof("body") for part in parts] == ["partialPredict", "partialPredict", "error"]
        assert not any(part.partialPredict.finish for part in parts)
        assert parts[-1].error.message == "ran dry"

    @pytest.mark.parametrize("count", [0, 1, 2])
    async def test_all_that_was_yielded_before_an_error_arrives_before_it(self, gate, settings_for, host, count):
        def predict(data: int, context: mlplace.Context) -> Iterator[int]:
            for number in range(data):
                context.bill(number)
                yield number
            raise mlplace.MlpError("own.busy", "no room", status=429, retry_after=16.2)

        host(predict, settings_for(gate))
        stream = await gate.stream()
        *parts, last = await parts_of(
            stream, await stream.ask(predict=gate_pb2.PredictRequestProto(data=payload(count)))
        )
        assert [part.partialPredict.data.json for part in parts] == [str(number) for number in range(count)]
        assert [part.headers["Z-custom-billing"] for part in parts] == [str(number) for number in range(count)]
        assert [part.partialPredict.start for part in parts] == [place == 0 for place in range(count)]
        assert (last.error.code, last.error.status, last.headers["Retry-After"]) == ("own.busy", 429, "17")

    async def test_parts_arrive_before_the_error_of_something_cancelled(self, gate, settings_for, host):
        async def predict(data: int) -> AsyncIterator[int]:
            for number in range(data):
                yield number
            waiting = asyncio.create_task(asyncio.sleep(60))
            asyncio.get_running_loop().call_soon(waiting.cancel)
            await waiting

        host(predict, settings_for(gate))
        stream = await gate.stream()
        *parts, last = await parts_of(stream, await stream.ask(predict=gate_pb2.PredictRequestProto(data=payload(2))))
        assert [part.partialPredict.data.json for part in parts] == ["0", "1"]
        assert (last.error.status, last.error.message) == (500, "the function waited for something that was cancelled")

    async def test_a_generator_is_closed_when_a_part_is_invalid(self, gate, settings_for, host):
        closed = []

        async def predict(data: int) -> AsyncIterator[int]:
            try:
                yield data
                yield "two"  # pyright: ignore[reportReturnType] - the mistake under test
                yield data
            finally:
                closed.append(data)

        host(predict, settings_for(gate))
        stream = await gate.stream()
        parts = await parts_of(stream, await stream.ask(predict=gate_pb2.PredictRequestProto(data=payload(1))))
        assert parts[-1].error.code == "mlp-action.common.processing-exception"
        assert closed == [1]


def part(value, **flags) -> gate_pb2.PartialPredictRequestProto:
    return gate_pb2.PartialPredictRequestProto(data=payload(value), **flags)


class TestStreamedInput:
    async def test_each_part_is_answered_before_the_next_one_is_sent(self, gate, settings_for, host):
        async def predict(data: AsyncIterator[int]) -> AsyncIterator[int]:
            async for number in data:
                yield number * 10

        host(predict, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(partialPredict=part(1, start=True))
        assert (await stream.answer(request_id)).partialPredict.data.json == "10"
        await stream.ask(partialPredict=part(2, finish=True), request_id=request_id)
        last = await stream.answer(request_id)
        assert (last.partialPredict.data.json, last.partialPredict.finish) == ("20", True)

    async def test_a_plain_function_reads_the_parts_in_its_thread(self, gate, settings_for, host):
        def predict(data: Iterator[int]) -> int:
            return sum(data)

        host(predict, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(partialPredict=part(1, start=True))
        await stream.ask(partialPredict=part(2), request_id=request_id)
        await stream.ask(partialPredict=gate_pb2.PartialPredictRequestProto(finish=True), request_id=request_id)
        assert (await stream.answer(request_id)).predict.data.json == "3"

    @pytest.mark.parametrize("nothing", [None, gate_pb2.PayloadProto(), gate_pb2.PayloadProto(json="")])
    async def test_a_part_without_data_is_no_part_of_the_input(self, gate, settings_for, host, nothing):
        async def predict(data: AsyncIterator[int]) -> list[int]:
            return [number async for number in data]

        host(predict, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(partialPredict=part(1, start=True))
        end = gate_pb2.PartialPredictRequestProto(data=nothing, finish=True)
        await stream.ask(partialPredict=end, request_id=request_id)
        assert (await stream.answer(request_id)).predict.data.json == "[1]"

    async def test_an_empty_binary_part_is_part_of_the_input(self, gate, settings_for, host):
        async def predict(data: AsyncIterator[bytes]) -> list[int]:
            return [len(piece) async for piece in data]

        host(predict, settings_for(gate))
        stream = await gate.stream()
        first = gate_pb2.PartialPredictRequestProto(data=gate_pb2.PayloadProto(protobuf=b""), start=True)
        request_id = await stream.ask(partialPredict=first)
        await stream.ask(partialPredict=gate_pb2.PartialPredictRequestProto(finish=True), request_id=request_id)
        assert (await stream.answer(request_id)).predict.data.json == "[0]"

    async def test_an_invalid_part_is_a_bad_request(self, gate, settings_for, host):
        def predict(data: Iterator[int]) -> int:
            return sum(data)

        host(predict, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(partialPredict=part("one", start=True))
        assert (await stream.answer(request_id)).error.code == "mlp-action.common.bad-request"

    async def test_two_concurrent_requests_do_not_mix(self, gate, settings_for, host):
        async def predict(data: AsyncIterator[int]) -> list[int]:
            return [number async for number in data]

        host(predict, settings_for(gate))
        stream = await gate.stream()
        one = await stream.ask(partialPredict=part(1, start=True))
        two = await stream.ask(partialPredict=part(2, start=True))
        await stream.ask(partialPredict=part(3, finish=True), request_id=one)
        await stream.ask(partialPredict=part(4, finish=True), request_id=two)
        assert (await stream.answer(one)).predict.data.json == "[1,3]"
        assert (await stream.answer(two)).predict.data.json == "[2,4]"

    async def test_a_function_of_one_value_accepts_a_request_in_one_part(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        whole = part({"name": "Ann"}, start=True, finish=True)
        answer = await (await gate.stream()).call(partialPredict=whole)
        assert json.loads(answer.predict.data.json) == "Hello, Ann"

    async def test_a_function_of_one_value_accepts_a_request_that_ends_later(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(partialPredict=part({"name": "Ann"}, start=True))
        await stream.ask(partialPredict=gate_pb2.PartialPredictRequestProto(finish=True), request_id=request_id)
        assert json.loads((await stream.answer(request_id)).predict.data.json) == "Hello, Ann"

    async def test_a_function_of_one_value_refuses_a_second_part(self, gate, settings_for, host):
        host(greet, settings_for(gate))
        stream = await gate.stream()
        request_id = await stream.ask(partialPredict=part({"name": "Ann"}, start=True))
        await stream.ask(partialPredict=part({"name": "Ben"}), request_id=request_id)
        error = (await stream.answer(request_id)).error
        assert (error.code, error.args["type"]) == ("mlp-action.common.method-not-supported", "partialPredict")
