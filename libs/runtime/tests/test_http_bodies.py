"""Tests slow bodies and slow readers of responses."""

import asyncio
from collections.abc import AsyncGenerator

import pytest

from mlplace_kit.errors import MalformedRequest, RequestTooSlow
from mlplace_testing.raw_http import GET, PATIENT, Caller, Served, served

TOO_SLOW = (RequestTooSlow.status, RequestTooSlow.code)
MALFORMED = (MalformedRequest.status, MalformedRequest.code)
CHUNKED = b"POST /plain HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"


def post(path: str, length: int, *lines: str) -> bytes:
    rest = "".join(f"{line}\r\n" for line in lines)
    return f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {length}\r\n{rest}\r\n".encode()


@pytest.fixture
async def server() -> AsyncGenerator[Served]:
    async with served() as made:
        yield made


async def started(server: Served) -> None:
    async with asyncio.timeout(60):
        await server.app.started.wait()


class TestBody:
    async def test_a_stalled_body_is_refused_and_its_app_sees_a_disconnect(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(post("/plain", 1_000) + b"x" * 10)
            await started(server)
            assert PATIENT.grace_seconds < await server.until_over(caller) < PATIENT.body_seconds / 2
            assert await caller.refused() == TOO_SLOW
        assert server.app.ended == ["disconnect"]

    async def test_a_dripping_body_is_refused(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(post("/plain", 1_000_000))
            await started(server)
            passed = 0
            while not caller.is_over:
                caller.say(b"x" * 100)
                server.server.look(1.0)
                await asyncio.sleep(0.001)
                passed += 1
            assert passed < PATIENT.body_seconds / 2
            assert await caller.refused() == TOO_SLOW

    async def test_a_body_that_was_fast_may_not_stall_later(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(post("/plain", 60_001) + b"x" * 60_000)
            await started(server)
            assert await server.until_over(caller) < 60
            assert await caller.refused() == TOO_SLOW

    async def test_a_body_at_the_minimum_rate_is_read_completely(self, server: Served) -> None:
        size, parts = PATIENT.bytes_per_second, 100
        async with server.caller() as caller:
            caller.say(post("/plain", size * parts))
            await started(server)
            for number in range(parts):
                caller.say(b"x" * size)
                await _has(server, size * (number + 1))
                server.server.look(1.0)
            assert await caller.hear() == (200, b"ok")
        assert server.app.ended == []

    async def test_an_endless_body_at_the_minimum_rate_is_refused_after_the_time_limit(self, server: Served) -> None:
        size, parts = PATIENT.bytes_per_second, int(PATIENT.body_seconds) + 5
        async with server.caller() as caller:
            caller.say(post("/plain", 1 << 40))
            await started(server)
            for number in range(parts):
                if caller.is_over:
                    break
                caller.say(b"x" * size)
                await _has(server, size * (number + 1), caller)
                server.server.look(1.0)
            assert await caller.refused() == TOO_SLOW
        assert len(server.app.body) >= size * (PATIENT.body_seconds - 5)

    async def test_a_body_that_the_app_does_not_read_is_not_slow(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(post("/wait", 1_000_000) + b"x" * 900_000)
            await started(server)
            await server.passes(2 * PATIENT.body_seconds, step=PATIENT.grace_seconds)
            server.app.let.set()
            caller.say(b"x" * 100_000)
            assert await caller.hear() == (200, b"ok")

    async def test_a_body_that_waits_for_100_continue_is_not_slow(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(post("/wait", 2, "Expect: 100-continue"))
            await started(server)
            await server.passes(100)
            server.app.let.set()
            assert (await caller.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
            caller.say(b"ok")
            assert await caller.hear() == (200, b"ok")

    async def test_a_body_of_an_answered_request_is_cut_off(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(post("/early", 1 << 40))
            assert await caller.hear() == (200, b"early")
            while not caller.is_over:
                caller.say(b"x" * 10_000)
                server.server.look(1.0)
                await asyncio.sleep(0.001)

    @pytest.mark.parametrize(
        "framing", [b"1;" + b"x" * 100_000, b"0" * 100_000, b"1\r\nx\r\n0\r\nA: " + b"x" * 100_000]
    )
    async def test_a_body_of_mostly_framing_is_refused(self, server: Served, framing: bytes) -> None:
        async with server.caller() as caller:
            caller.say(CHUNKED)
            await started(server)
            for at in range(0, len(framing), 1_000):
                caller.say(framing[at : at + 1_000])
                await caller.all_sent()
                await asyncio.sleep(0)
            assert await caller.refused() == MALFORMED
        assert server.app.ended == ["disconnect"]

    async def test_a_body_of_tiny_chunks_is_read(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(CHUNKED)
            await started(server)
            for _ in range(300):
                caller.say(b"1\r\nx\r\n" * 100)
                await caller.all_sent()
            caller.say(b"0\r\n\r\n")
            assert await caller.hear() == (200, b"ok")
        assert len(server.app.body) == 30_000

    async def test_a_malformed_body_is_refused_at_once(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(CHUNKED)
            await started(server)
            caller.say(b"no size\r\n")
            assert await caller.refused() == MALFORMED
        assert server.app.ended == ["disconnect"]


class TestReader:
    async def test_a_caller_that_does_not_read_is_cut_off(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
            await started(server)
            await _until_ended(server, "endless")

    async def test_a_caller_that_reads_is_not_cut_off(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n")
            for _ in range(200):
                async with asyncio.timeout(60):
                    await caller.reader.readexactly(100_000)
                server.server.look(1.0)
            assert server.app.ended == []

    async def test_a_silent_stream_continues(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(post("/wait", 0))
            await started(server)
            await server.passes(10_000, step=10)
            server.app.let.set()
            assert await caller.hear() == (200, b"ok")

    async def test_an_unread_response_does_not_keep_a_closing_connection(self, server: Served) -> None:
        """Closing waits for written data, so it needs a limit."""
        async with server.caller() as caller:
            caller.say(GET * 50 + b"GET /endless HTTP/1.0\r\nHost: x\r\n\r\n")
            await started(server)
            await _until_ended(server, "endless")
            assert await caller.rest()


async def _has(server: Served, size: int, caller: Caller | None = None) -> None:
    for _ in range(1_000_000):
        if len(server.app.body) >= size or (caller and caller.is_over):
            return
        await asyncio.sleep(0)
    raise AssertionError("the body does not come")


async def _until_ended(server: Served, what: str) -> None:
    async with asyncio.timeout(60):
        while what not in server.app.ended:
            server.server.look(1.0)
            await asyncio.sleep(0.005)
