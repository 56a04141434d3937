"""Tests limits of request heads: size, form and time."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace

import pytest
import structlog
from prometheus_client import REGISTRY

from mlplace_kit.errors import (
    AddressTooLong,
    HeadersTooLarge,
    InternalError,
    MalformedRequest,
    MethodNotAllowed,
    RequestTooSlow,
)
from mlplace_runtime.process.http.limits import MOST_HEADERS, MOST_PIPELINED
from mlplace_testing.raw_http import GET, PATIENT, Served, served

START = b"GET /plain HTTP/1.1\r\nHost: x\r\n"
SMALL = replace(PATIENT, head_bytes=20_000)
TOO_LARGE = (HeadersTooLarge.status, HeadersTooLarge.code)
TOO_LONG = (AddressTooLong.status, AddressTooLong.code)
TOO_SLOW = (RequestTooSlow.status, RequestTooSlow.code)
MALFORMED = (MalformedRequest.status, MalformedRequest.code)
NOT_THAT = (MethodNotAllowed.status, MethodNotAllowed.code)


def refusals(reason: str) -> float:
    return REGISTRY.get_sample_value("mlp_http_refused_total", {"reason": reason}) or 0.0


@pytest.fixture
async def server() -> AsyncGenerator[Served]:
    async with served() as made:
        yield made


class TestSize:
    @pytest.mark.parametrize("segment", [1_000, 65_536, 1_000_000])
    async def test_an_endless_header_is_refused_early(self, server: Served, segment: int) -> None:
        before, sent = refusals("head_too_large"), 0
        async with server.caller() as caller:
            caller.say(START + b"A: ")
            while not caller.is_over and sent < 64 * 1024 * 1024:
                caller.say(b"x" * segment)
                sent += segment
                await caller.all_sent()
                await asyncio.sleep(0)
            assert await caller.refused() == TOO_LARGE
        assert sent < 16 * 1024 * 1024
        assert refusals("head_too_large") == before + 1
        assert server.app.seen == []

    @pytest.mark.parametrize(
        ("head", "refusal"),
        {
            "many headers": (START + b"".join(b"a%d: b\r\n" % n for n in range(MOST_HEADERS)) + b"\r\n", TOO_LARGE),
            "one large header": (START + b"A: " + b"x" * 17_000 + b"\r\n\r\n", TOO_LARGE),
            "a long name": (START + b"A" * 17_000 + b": x\r\n\r\n", TOO_LARGE),
            "large headers": (START + b"".join(b"a%d: %b\r\n" % (n, b"x" * 8_000) for n in range(9)), TOO_LARGE),
            "a long address": (b"GET /" + b"x" * 17_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", TOO_LONG),
            "an endless address": (b"GET /" + b"x" * 70_000, TOO_LONG),
            "an endless method": (b"G" * 70_000, MALFORMED),
            "lines without end": (b"\r\n" * 40_000, TOO_LARGE),
        }.values(),
    )
    @pytest.mark.parametrize("segment", [701, 1 << 20])
    async def test_a_head_over_a_limit_is_refused(
        self, server: Served, head: bytes, refusal: tuple[int, str], segment: int
    ) -> None:
        async with server.caller() as caller:
            for at in range(0, len(head), segment):
                caller.say(head[at : at + segment])
                await caller.all_sent()
                await asyncio.sleep(0)
            assert await caller.refused() == refusal
        assert server.app.seen == []

    @pytest.mark.parametrize("segment", [701, 1 << 20])
    async def test_a_large_head_within_the_limit_is_served(self, server: Served, segment: int) -> None:
        head = START + b"".join(b"a%d: %b\r\n" % (n, b"x" * 15_000) for n in range(4)) + b"\r\n"
        async with server.caller() as caller:
            for at in range(0, len(head), segment):
                caller.say(head[at : at + segment])
                await asyncio.sleep(0)
            assert await caller.hear() == (200, b"ok")
        assert len(server.app.seen[0]["headers"]) == 5

    async def test_a_large_head_right_after_a_body_is_measured(self) -> None:
        body = b"POST /plain HTTP/1.1\r\nHost: x\r\nContent-Length: 30000\r\n\r\n" + b"x" * 30_000
        large = START + b"A: " + b"x" * 10_000 + b"\r\nB: " + b"x" * 10_000 + b"\r\n\r\n"
        async with served(SMALL) as server, server.caller() as caller:
            caller.say(body + large)
            assert await caller.hear() == (200, b"ok")
            assert await caller.refused() == TOO_LARGE

    async def test_sizes_of_one_request_do_not_count_for_the_next(self) -> None:
        async with served(SMALL) as server, server.caller() as caller:
            for _ in range(5):
                caller.say(START + b"A: " + b"x" * 12_000 + b"\r\n\r\n")
                assert await caller.hear() == (200, b"ok")


class TestTime:
    async def test_a_dripping_head_is_refused_after_the_time_limit(self, server: Served) -> None:
        passed = 0
        async with server.caller() as caller:
            caller.say(START)
            while not caller.is_over:
                caller.say(b"A: b\r\n")
                server.server.look(1.0)
                await asyncio.sleep(0.001)
                passed += 1
                assert passed < 1_000
            assert await caller.refused() == TOO_SLOW
        assert passed > PATIENT.head_seconds

    async def test_a_silent_caller_is_disconnected_after_the_time_of_a_head(self, server: Served) -> None:
        async with server.caller() as caller:
            assert await server.until_over(caller) < 60

    async def test_empty_lines_do_not_extend_the_time_limit(self, server: Served) -> None:
        async with server.caller() as caller:
            passed = 0
            while not caller.is_over:
                caller.say(b"\r\n")
                server.server.look(1.0)
                await asyncio.sleep(0.001)
                passed += 1
                assert passed < 1_000
            assert await caller.refused() == TOO_SLOW

    async def test_a_used_connection_may_be_idle_for_longer(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(GET)
            await caller.hear()
            await server.passes(PATIENT.idle_seconds - 1)
            caller.say(GET)
            assert await caller.hear() == (200, b"ok")
            assert await server.until_over(caller) > PATIENT.head_seconds

    async def test_a_later_head_has_the_same_time_limit_as_the_first(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(GET)
            await caller.hear()
            await server.passes(PATIENT.idle_seconds - 1)
            caller.say(START)
            caller.say(b"A: ")
            await server.until_over(caller)
            assert await caller.refused() == TOO_SLOW


class TestForm:
    @pytest.mark.parametrize(
        ("request_", "refusal"),
        {
            "no host": (b"GET / HTTP/1.1\r\n\r\n", MALFORMED),
            "two hosts": (b"GET / HTTP/1.1\r\nHost: x\r\nHost: x\r\n\r\n", MALFORMED),
            "two hosts of HTTP/1.0": (b"GET / HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", MALFORMED),
            "an empty host": (b"GET / HTTP/1.1\r\nHost:\r\n\r\n", MALFORMED),
            "two names in one host": (b"GET / HTTP/1.1\r\nHost: x, y\r\n\r\n", MALFORMED),
            "a path in the host": (b"GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", MALFORMED),
            "a user in the host": (b"GET / HTTP/1.1\r\nHost: a@x\r\n\r\n", MALFORMED),
            "a star": (b"GET * HTTP/1.1\r\nHost: x\r\n\r\n", MALFORMED),
            "options of a star": (b"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", MALFORMED),
            "no path": (b"GET http://x HTTP/1.1\r\nHost: x\r\n\r\n", MALFORMED),
            "another host": (b"GET http://y/ HTTP/1.1\r\nHost: x\r\n\r\n", MALFORMED),
            "another scheme": (b"GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n", MALFORMED),
            "half an address of IPv6": (b"GET http://[x/ HTTP/1.0\r\n\r\n", MALFORMED),
            "an empty port": (b"GET http://x:/ HTTP/1.0\r\n\r\n", MALFORMED),
            "no such port": (b"GET http://x:99999/ HTTP/1.0\r\n\r\n", MALFORMED),
            "no such port in both": (b"GET http://x:99999/ HTTP/1.1\r\nHost: x:99999\r\n\r\n", MALFORMED),
            "a mark in both": (b"GET http://a~b/ HTTP/1.1\r\nHost: a~b\r\n\r\n", MALFORMED),
            "a tunnel": (b"CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n", NOT_THAT),
            "HTTP/0.9": (b"GET /\r\n\r\n", MALFORMED),
            "HTTP/2.0": (b"GET / HTTP/2.0\r\nHost: x\r\n\r\n", MALFORMED),
            "no HTTP": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 hello", MALFORMED),
            "no ASCII": ("GET /é HTTP/1.1\r\nHost: x\r\n\r\n".encode(), MALFORMED),
        }.values(),
    )
    async def test_an_ambiguous_head_is_refused(
        self, server: Served, request_: bytes, refusal: tuple[int, str]
    ) -> None:
        async with server.caller() as caller:
            caller.say(request_)
            assert await caller.refused() == refusal
        assert server.app.seen == []

    @pytest.mark.parametrize(
        "request_",
        [
            b"GET /plain HTTP/1.0\r\n\r\n",
            b"GET /plain HTTP/1.0\r\nHost: x\r\n\r\n",
            b"GET http://X:80/plain HTTP/1.1\r\nHost: x:80\r\n\r\n",
            b"GET /plain HTTP/1.1\r\nHost: [::1]:80\r\n\r\n",
            b"GET /plain HTTP/1.1\r\nHost: my_service.test:80\r\n\r\n",
            b"\r\n\r\nGET /plain HTTP/1.1\r\nHost: x\r\n\r\n",
        ],
    )
    async def test_an_unambiguous_head_is_served(self, server: Served, request_: bytes) -> None:
        async with server.caller() as caller:
            caller.say(request_)
            assert await caller.hear() == (200, b"ok")
        assert server.app.seen[0]["path"] == "/plain"

    async def test_the_refusal_of_a_tunnel_names_the_methods_of_all_addresses(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(b"CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n")
            assert b"\r\nAllow: DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT\r\n" in await caller.rest()

    @pytest.mark.parametrize("segment", [1, 7, 1_000])
    async def test_a_declined_upgrade_changes_nothing(self, server: Served, segment: int) -> None:
        upgrade = b"Host: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n"
        sent = b"POST /plain HTTP/1.1\r\n" + upgrade + b"Content-Length: 5\r\n\r\nhello"
        sent += b"POST /plain HTTP/1.1\r\n" + upgrade + b"Transfer-Encoding: chunked\r\n\r\n3\r\nyou\r\n0\r\n\r\n"
        sent += b"GET /plain HTTP/1.1\r\n" + upgrade + b"\r\n" + GET
        async with server.caller() as caller:
            for at in range(0, len(sent), segment):
                caller.say(sent[at : at + segment])
                await asyncio.sleep(0)
            assert [await caller.hear() for _ in range(4)] == [(200, b"ok")] * 4
        assert server.app.bodies == [b"hello", b"you", b"", b""]

    @pytest.mark.parametrize("lines", [b"Upgrade\r\nConnection: keep-alive", b"keep-alive\r\nConnection: Upgrade"])
    async def test_connection_may_have_two_lines(self, server: Served, lines: bytes) -> None:
        async with server.caller() as caller:
            caller.say(
                b"GET /socket HTTP/1.1\r\nHost: x\r\nConnection: " + lines + b"\r\nUpgrade: websocket\r\n"
                b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
            )
            assert (await caller.hear())[0] == 101
        assert server.app.seen[0]["type"] == "websocket"

    async def test_a_defect_of_the_server_is_no_fault_of_the_caller(
        self, server: Served, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(*_: object) -> None:
            raise ValueError("a defect")

        monkeypatch.setattr("mlplace_runtime.process.http.protocol.fault_of", fails)
        async with server.caller() as caller:
            with structlog.testing.capture_logs() as logs:
                caller.say(GET)
                assert await caller.refused() == (InternalError.status, InternalError.code)
        (entry,) = [entry for entry in logs if entry["event"] == "http_request_failed"]
        assert str(entry["exc_info"].__context__) == "a defect"

    async def test_a_caller_that_closes_and_upgrades_is_served_once(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(b"GET /plain HTTP/1.1\r\nHost: x\r\nConnection: upgrade, close\r\nUpgrade: h2c\r\n\r\n" + GET)
            assert await caller.hear() == (200, b"ok")
            assert await caller.rest() == b""
        assert len(server.app.seen) == 1

    async def test_a_large_body_after_a_declined_upgrade_is_no_head(self) -> None:
        async with served(SMALL) as server, server.caller() as caller:
            caller.say(b"POST /plain HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: h2c\r\n")
            caller.say(b"Content-Length: 50000\r\n\r\n" + b"x" * 50_000 + GET)
            assert [await caller.hear(), await caller.hear()] == [(200, b"ok")] * 2
            assert server.app.bodies[0] == b"x" * 50_000

    async def test_white_space_around_a_value_is_no_part_of_it(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(b"GET /plain HTTP/1.1\r\nHost: x\r\nA:\t b\tc \t\r\n\r\n")
            assert await caller.hear() == (200, b"ok")
        assert dict(server.app.seen[0]["headers"])[b"a"] == b"b\tc"

    async def test_trailers_that_end_the_connection_end_it_after_the_response(self, server: Served) -> None:
        end = b"1\r\nx\r\n0\r\nConnection: close\r\n\r\n"
        async with server.caller() as caller:
            caller.say(b"POST /early HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            assert await caller.hear() == (200, b"early")
            caller.say(end)
            assert await caller.rest() == b""

    async def test_trailers_are_not_headers(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(
                b"POST /plain HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
                b"1\r\nx\r\n0\r\nMLP-API-KEY: other\r\nHost: y\r\n\r\n" + GET
            )
            assert [await caller.hear(), await caller.hear()] == [(200, b"ok")] * 2
        assert [name for name, _ in server.app.seen[0]["headers"]] == [b"host", b"transfer-encoding"]


class TestPipeline:
    async def test_pipelined_requests_are_answered_in_order(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(GET * 50)
            assert [await caller.hear() for _ in range(50)] == [(200, b"ok")] * 50

    async def test_too_many_pipelined_requests_are_refused_after_earlier_responses(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(GET * 5_000)
            for _ in range(MOST_PIPELINED + 1):
                assert await caller.hear() == (200, b"ok")
            assert await caller.refused() == MALFORMED

    async def test_a_refusal_waits_for_the_response_before_it(self, server: Served) -> None:
        async with server.caller() as caller:
            caller.say(b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\nGET * HTTP/1.1\r\nHost: x\r\n\r\n")
            async with asyncio.timeout(60):
                await server.app.started.wait()
            server.app.let.set()
            assert await caller.hear() == (200, b"ok")
            assert await caller.refused() == MALFORMED
