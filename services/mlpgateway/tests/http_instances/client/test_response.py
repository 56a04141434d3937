"""Bodies over a real socket, in both directions: at the pace of the reader, and ended early."""

import asyncio
import resource
from collections.abc import AsyncGenerator

import pytest

from mlpgateway.errors.gate import GateOverloaded
from mlpgateway.instances.http.client.errors import InvalidRequestError, NotConnectedError
from mlpgateway.instances.http.client.exchange import exchange
from mlpgateway.instances.http.client.request import OutgoingRequest

GET = OutgoingRequest("GET", "/", repeatable=True)
OK = b"HTTP/1.1 200 OK\r\n"
SMALL = OK + b"Content-Length: 5\r\n\r\nhello"
PIECE = b"x" * 65536


class Source:
    """A body in pieces that counts how far it was read. `error` ends it."""

    def __init__(self, pieces: int, length: int | None = None, error: Exception | None = None) -> None:
        self.length = length
        self.read = 0
        self.closed = False
        self._pieces = pieces
        self._error = error

    async def pieces(self) -> AsyncGenerator[bytes]:
        try:
            for _ in range(self._pieces):
                self.read += len(PIECE)
                yield PIECE
            if self._error is not None:
                raise self._error
            await asyncio.sleep(0)
        finally:
            self.closed = True


async def answered(visit) -> None:
    while True:
        await visit.request()
        await visit.say(SMALL)


class TestStreaming:
    @pytest.mark.parametrize("length", [160 * len(PIECE), None])
    def test_large_request_is_sent_at_the_pace_of_the_instance(self, run, tools, length: int | None) -> None:
        async def test() -> None:
            go_on, source, received = asyncio.Event(), Source(160, length), 0

            async def script(visit) -> None:
                nonlocal received
                await visit.reader.readuntil(b"\r\n\r\n")
                await go_on.wait()
                while received < 160 * len(PIECE):
                    received += len(await visit.reader.read(65536))
                await visit.say(SMALL)

            async with tools.meeting(script) as met:
                asking = asyncio.create_task(exchange(met.pool, OutgoingRequest("PUT", "/", (), source)))
                await tools.until(lambda: source.read)
                before = -1
                while source.read != before:
                    before = source.read
                    await asyncio.sleep(0.05)
                assert source.read < 160 * len(PIECE)
                go_on.set()
                assert await tools.body_of(await asking) == b"hello"
                assert source.closed

        run(test)

    @pytest.mark.parametrize("head", [b"Content-Length: 104857600\r\n\r\n", b"Transfer-Encoding: chunked\r\n\r\n"])
    def test_large_answer_waits_for_its_reader_and_takes_no_memory(self, run, tools, head: bytes) -> None:
        async def test() -> None:
            sent = 0

            async def script(visit) -> None:
                nonlocal sent
                await visit.request()
                await visit.say(OK + head)
                for _ in range(1600):
                    await visit.say(b"10000\r\n" + PIECE + b"\r\n" if b"chunked" in head else PIECE)
                    sent += len(PIECE)
                await visit.say(b"0\r\n\r\n" if b"chunked" in head else b"")
                await visit.gone()

            async with tools.meeting(script) as met:
                response = await exchange(met.pool, GET)
                before = -1
                while sent != before:
                    before = sent
                    await asyncio.sleep(0.05)
                assert sent < 50_000_000
                assert response._held < 1_000_000
                memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
                received = 0
                while piece := await response.piece():
                    received += len(piece)
                assert received == 1600 * len(PIECE)
                assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 20_000
                await response.close()

        run(test)

    def test_pause_of_one_answer_does_not_reach_the_next(self, run, tools) -> None:
        """An unread answer pauses its connection, which the next request uses as soon as the answer has arrived."""
        large = b"y" * 300_000

        async def script(visit) -> None:
            for _ in range(2):
                await visit.request()
                await visit.say(OK + b"Content-Length: 300000\r\n\r\n" + large)

        async def test() -> None:
            async with tools.meeting(script) as met:
                for _ in range(2):
                    response = await exchange(met.pool, GET)
                    body = b""
                    while len(body) < len(large):
                        body += await response.piece()
                    assert body == large
                    await response.close()
                assert len(met.peer.visits) == 1

        run(test)

    def test_answer_before_the_request_is_sent_ends_the_connection(self, run, tools) -> None:
        async def test() -> None:
            source = Source(10**6)

            async def script(visit) -> None:
                await visit.reader.readuntil(b"\r\n\r\n")
                await visit.say(b"HTTP/1.1 413 Too Large\r\nContent-Length: 5\r\n\r\nlarge")
                await asyncio.sleep(0.2)

            async with tools.meeting(script) as met:
                response = await exchange(met.pool, OutgoingRequest("PUT", "/", (), source))
                assert (response.status, await tools.body_of(response)) == (413, b"large")
                assert source.closed
                await tools.until(lambda: len(met.pool) == 0)

        run(test)

    @pytest.mark.parametrize(("pieces", "length"), [(1, 70_000), (2, 70_000), (0, 1)])
    def test_body_of_another_length_than_announced_is_not_sent_on(self, run, tools, pieces: int, length: int) -> None:
        async def script(visit) -> None:
            await visit.gone()

        async def test() -> None:
            async with tools.meeting(script) as met:
                with pytest.raises(InvalidRequestError):
                    await exchange(met.pool, OutgoingRequest("PUT", "/", (), Source(pieces, length)))

        run(test)

    def test_error_of_the_body_reaches_the_reader_unchanged(self, run, tools) -> None:
        async def script(visit) -> None:
            await visit.gone()

        async def test() -> None:
            source = Source(1, error=GateOverloaded())
            async with tools.meeting(script) as met:
                with pytest.raises(GateOverloaded):
                    await exchange(met.pool, OutgoingRequest("PUT", "/", (), source))
                assert source.closed

        run(test)

    def test_body_is_not_read_without_a_connection(self, run, tools) -> None:
        async def test() -> None:
            source = Source(1)
            async with tools.meeting(answered) as met:
                refused = met.client.pool(type(met.address)("127.0.0.1", 1, trusted=True))
                with pytest.raises(NotConnectedError):
                    await exchange(refused, OutgoingRequest("PUT", "/", (), source))
                assert (source.read, source.closed) == (0, False)

        run(test)
