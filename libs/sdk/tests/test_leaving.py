"""Callers that leave early: the other side learns of it at once, with every client and every way of leaving."""

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress

import grpc.aio
import pytest

import mlplace
from mlplace_gateproto import gate_pb2, gate_pb2_grpc

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"


class Other:
    """The platform: it answers with one part, or not at all, and then never ends. `left` counts callers who left."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.left = asyncio.Event()

    async def until_left(self) -> None:
        async with asyncio.timeout(60):
            await self.left.wait()

    async def over_http(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        if b"v2-stream" in head:
            writer.write(_HEAD + b"2\r\n1\n\r\n")
        self.asked.set()
        with suppress(ConnectionError):
            while await reader.read(65536):
                pass  # the body
        self.left.set()
        writer.close()


class Gate(gate_pb2_grpc.GateServicer):
    def __init__(self, other: Other) -> None:
        self._other = other

    async def _hang(self) -> None:
        self._other.asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self._other.left.set()

    async def process(self, request, context):
        await self._hang()
        return _part()

    async def processResponseStream(self, request, context):  # noqa: N802  the name of the RPC
        yield _part()
        await self._hang()

    async def processStream(self, request_iterator, context):  # noqa: N802  the name of the RPC
        yield _part()
        await self._hang()


def _part() -> gate_pb2.ClientResponseProto:
    part = gate_pb2.PartialPredictResponseProto(data=gate_pb2.PayloadProto(json="1"))
    return gate_pb2.ClientResponseProto(partialPredict=part)


@pytest.fixture
def other() -> Other:
    return Other()


@pytest.fixture
async def url(other: Other) -> AsyncIterator[str]:
    server = await asyncio.start_server(other.over_http, "127.0.0.1", 0)
    yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    server.close()


@pytest.fixture
async def address(other: Other) -> AsyncIterator[str]:
    server = grpc.aio.server()
    gate_pb2_grpc.add_GateServicer_to_server(Gate(other), server)  # pyright: ignore[reportAbstractUsage] - the other RPCs are not called
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"127.0.0.1:{port}"
    await server.stop(0)


async def _breaks(parts: AsyncIterator[object]) -> None:
    async for _ in parts:
        break


async def _closes(parts: AsyncIterator[object]) -> None:
    async with aclosing(parts):  # pyright: ignore[reportArgumentType] - it is a generator
        await anext(parts)


async def _raises(parts: AsyncIterator[object]) -> None:
    with suppress(LookupError):
        async for _ in parts:
            raise LookupError


async def _is_cancelled(parts: AsyncIterator[object]) -> None:
    begun = asyncio.Event()

    async def read() -> None:
        async for _ in parts:
            begun.set()

    await _cancelled(read(), begun)


async def _times_out(parts: AsyncIterator[object]) -> None:
    await anext(parts)
    with suppress(TimeoutError):
        async with asyncio.timeout(0):
            await anext(parts)


async def _cancelled(work, begun: asyncio.Event) -> None:
    task = asyncio.create_task(work)
    await begun.wait()
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


Leave = Callable[[AsyncIterator[object]], Awaitable[None]]
LEAVES: list[Leave] = [_breaks, _closes, _raises, _is_cancelled, _times_out]


@pytest.mark.parametrize("leave", LEAVES)
class TestStreams:
    async def test_async_client(self, other, url, leave: Leave) -> None:
        async with mlplace.AsyncClient(url, "1.2.key") as client:
            await leave(client.stream("acme", "m", 1))
            await other.until_left()

    async def test_grpc_client(self, other, address, leave: Leave) -> None:
        async with mlplace.GrpcClient(address, "1.2.key", secure=False) as client:
            await leave(client.stream("acme", "m", 1))
            await other.until_left()

    async def test_grpc_client_in_a_conversation(self, other, address, leave: Leave) -> None:
        async def parts() -> AsyncIterator[int]:
            yield 1
            await asyncio.Event().wait()

        async with mlplace.GrpcClient(address, "1.2.key", secure=False) as client:
            await leave(client.converse("acme", "m", parts()))
            await other.until_left()


class TestBlockingStream:
    @pytest.mark.parametrize("way", ["break", "close", "raise"])
    async def test_client(self, other, url, way: str) -> None:
        client = mlplace.Client(url, "1.2.key")

        def leave() -> None:
            parts = client.stream("acme", "m", 1)
            if way == "close":
                next(parts)
                parts.close()  # pyright: ignore[reportAttributeAccessIssue] - it is a generator
                return
            with suppress(LookupError):
                for _ in parts:
                    if way == "break":
                        break
                    raise LookupError

        await asyncio.to_thread(leave)
        await other.until_left()
        client.close()


class TestWholeAnswers:
    async def test_async_client_whose_task_is_cancelled(self, other, url) -> None:
        async with mlplace.AsyncClient(url, "1.2.key") as client:
            await _cancelled(client.predict("acme", "m", 1), other.asked)
            await other.until_left()

    async def test_grpc_client_whose_task_is_cancelled(self, other, address) -> None:
        async with mlplace.GrpcClient(address, "1.2.key", secure=False) as client:
            await _cancelled(client.predict("acme", "m", 1), other.asked)
            await other.until_left()

    async def test_blocking_client_that_is_closed_by_another_thread(self, other, url) -> None:
        client = mlplace.Client(url, "1.2.key", timeout=0.5, retry=mlplace.Retry(attempts=1))

        def call() -> None:
            with suppress(mlplace.MlpError):
                client.predict("acme", "m", 1)

        calling = threading.Thread(target=call)
        calling.start()
        await other.until_left()
        await asyncio.to_thread(calling.join)
        client.close()
