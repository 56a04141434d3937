"""Conversations: our client and our instance, with a gate between them, send and answer in turns."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest

from mlplace import GrpcClient, MlpError, Service, Settings
from mlplace.hosting.host import serve_until

Serve = Callable[[object], Awaitable[None]]


@pytest.fixture
async def serve(gate, instances) -> AsyncGenerator[Serve]:
    """Connects an instance of the SDK that serves the function."""
    async with AsyncExitStack() as stack:

        async def start(predict: object) -> None:
            environment = {
                "MLP_GRPC_HOSTS": gate.address,
                "MLP_GRPC_SECURE": "false",
                "MLP_SERVICE_TOKEN": instances.add(31),
            }
            await stack.enter_async_context(_served(Service(predict), Settings.from_environment(environment)))  # pyright: ignore[reportArgumentType] - any function
            await asyncio.wait_for(gate.links.connected(7), 60)

        yield start


@asynccontextmanager
async def _served(service: Service, settings: Settings) -> AsyncGenerator[None]:
    stop = asyncio.Event()
    serving = asyncio.create_task(serve_until(service, settings, stop))
    yield
    stop.set()
    await serving


@pytest.fixture
async def caller(gate) -> AsyncGenerator[GrpcClient]:
    async with asyncio.timeout(60), GrpcClient(gate.address, "k", secure=False) as client:
        yield client


async def echo(data: AsyncIterator[str]) -> AsyncIterator[str]:
    async for said in data:
        yield said


async def spoken(*parts: object) -> AsyncIterator[object]:
    for part in parts:
        yield part


class TestConversation:
    async def test_whole_conversation_ends_without_an_error(self, caller, serve):
        await serve(echo)
        assert [part async for part in caller.converse("a", "m", spoken("a", "b"))] == ["a", "b"]

    async def test_conversation_of_numbers_ends_without_an_error(self, caller, serve):
        async def add(data: AsyncIterator[int]) -> int:
            return sum([number async for number in data])

        await serve(add)
        assert [part async for part in caller.converse("a", "m", spoken(1, 2))] == [3]

    async def test_conversation_of_bytes_keeps_an_empty_part(self, caller, serve):
        async def sizes(data: AsyncIterator[bytes]) -> AsyncIterator[int]:
            async for said in data:
                yield len(said)

        await serve(sizes)
        assert [part async for part in caller.converse("a", "m", spoken(b"one", b"", b"four"))] == [3, 0, 4]

    async def test_conversation_without_parts_is_an_empty_input(self, caller, serve):
        async def add(data: AsyncIterator[int]) -> int:
            return sum([number async for number in data])

        await serve(add)
        assert [part async for part in caller.converse("a", "m", spoken())] == [0]

    async def test_each_part_is_answered_before_the_next_one_is_said(self, caller, serve):
        answers: asyncio.Queue[object] = asyncio.Queue()

        async def wait_for_each_answer() -> AsyncIterator[str]:
            for number in range(3):
                yield f"part {number}"
                assert await answers.get() == f"part {number}"

        await serve(echo)
        async for part in caller.converse("a", "m", wait_for_each_answer()):
            answers.put_nowait(part)
        assert answers.empty()

    async def test_function_of_one_value_answers_a_conversation_of_one_part(self, caller, serve):
        async def greet(data: str) -> str:
            return f"Hello, {data}"

        await serve(greet)
        assert [part async for part in caller.converse("a", "m", spoken("Ann"))] == ["Hello, Ann"]

    async def test_function_of_one_value_refuses_a_second_part(self, caller, serve):
        async def greet(data: str) -> str:
            return data

        await serve(greet)
        with pytest.raises(MlpError, match="method-not-supported"):
            _ = [part async for part in caller.converse("a", "m", spoken("Ann", "Ben"))]


class TestFailingCaller:
    async def test_callers_own_exception_reaches_the_caller_and_cancels_the_call(self, gate, caller, serve):
        cancelled = asyncio.Event()

        async def listen(data: AsyncIterator[str]) -> AsyncIterator[str]:
            try:
                async for said in data:
                    yield said
            except asyncio.CancelledError:
                cancelled.set()
                raise

        async def fail(answered: asyncio.Event) -> AsyncIterator[str]:
            yield "a"
            await answered.wait()
            raise KeyError("mine")

        answered = asyncio.Event()

        async def converse() -> None:
            async for _ in caller.converse("a", "m", fail(answered)):
                answered.set()

        await serve(listen)
        with pytest.raises(KeyError, match="mine"):
            await converse()
        assert answered.is_set()
        await cancelled.wait()
