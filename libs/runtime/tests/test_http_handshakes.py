"""Tests handshakes of WebSockets: behind other requests, with frames that come too early, and malformed ones."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any, cast

import pytest
import structlog
from prometheus_client import REGISTRY
from starlette.types import Receive, Scope, Send
from websockets.server import ServerProtocol

from mlplace_kit.errors import InternalError, MalformedRequest
from mlplace_runtime.process.http.limits import MOST_EARLY_BYTES, MOST_PINGS
from mlplace_testing.raw_http import GET, Caller, served
from mlplace_testing.raw_sockets import CLOSE, PING, PONG, TEXT, frame, serving
from mlplace_testing.waiting import eventually

KEY = b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n"
VERSION = b"Sec-WebSocket-Version: 13\r\n"
HEAD = b"GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
HANDSHAKE = HEAD + KEY + VERSION + b"\r\n"
WAIT = b"GET /wait HTTP/1.1\r\nHost: x\r\n\r\n"
POST = b"POST /plain HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"
ITERATIONS = 500
"""Of the event loop: enough for anything that does not wait for the peer."""


class App:
    """Accepts the handshake, or denies it, when it is told to, and records the messages that come."""

    def __init__(self) -> None:
        self.let = asyncio.Event()
        self.denies = False
        self.floods = False
        self.sent = 0
        self.heard: list[object] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": bytes(32 * 2**20)})
            return
        await receive()
        first = asyncio.ensure_future(receive())
        await asyncio.wait([first, asyncio.create_task(self.let.wait())], return_when=asyncio.FIRST_COMPLETED)
        if first.done():
            self.heard.append(first.result()["type"])
            return
        if self.denies:
            await send({"type": "websocket.http.response.start", "status": 403, "headers": []})
            await send({"type": "websocket.http.response.body", "body": b"no"})
        else:
            await send({"type": "websocket.accept"})
        while self.floods:
            await send({"type": "websocket.send", "bytes": bytes(64 * 1024)})
            self.sent += 1
        message = await first
        while message["type"] == "websocket.receive":
            self.heard.append(message["text"])
            message = await receive()
        self.heard.append(message.get("code"))


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
async def port(app: App) -> AsyncGenerator[int]:
    async with serving(app) as served_at:
        yield served_at
        app.let.set()


@asynccontextmanager
async def caller_of(port: int) -> AsyncGenerator[Caller]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        yield Caller(reader, writer)
    finally:
        writer.transport.abort()


async def pass_iterations() -> None:
    for _ in range(ITERATIONS):
        await asyncio.sleep(0)


async def accepted(caller: Caller) -> None:
    async with asyncio.timeout(60):
        assert (await caller.reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 101")


class TestBehindRequests:
    async def test_unanswered_requests_are_answered_and_it_is_refused(self) -> None:
        async with served() as server, server.caller() as caller:
            caller.say(WAIT + POST + HANDSHAKE + GET)
            async with asyncio.timeout(60):
                await server.app.started.wait()
            server.app.let.set()
            assert await caller.hear() == (200, b"ok")
            assert await caller.hear() == (200, b"ok")
            assert await caller.refused() == (MalformedRequest.status, MalformedRequest.code)
            assert server.app.bodies == [b"", b"hello"]
            assert [scope["path"] for scope in server.app.seen] == ["/wait", "/plain"]

    async def test_a_request_before_it_learns_that_its_caller_has_disconnected(self) -> None:
        async with served() as server:
            async with server.caller() as caller:
                caller.say(b"GET /endless HTTP/1.1\r\nHost: x\r\n\r\n" + HANDSHAKE)
                async with asyncio.timeout(60):
                    await server.app.started.wait()
                caller.writer.transport.abort()
            await eventually(lambda: _value(server.app.ended == ["endless"]))

    async def test_an_answered_request_before_it_does_no_harm(self) -> None:
        async with served() as server, server.caller() as caller:
            for _ in range(2):
                caller.say(POST)
                assert await caller.hear() == (200, b"ok")
            caller.say(HANDSHAKE)
            await accepted(caller)

    async def test_an_answer_that_is_not_read_yet_keeps_it_from_writing(self, app: App, port: int) -> None:
        app.floods = True
        async with caller_of(port) as caller:
            caller.say(GET)
            await caller.reader.readexactly(1)
            caller.say(HANDSHAKE)
            app.let.set()
            await pass_iterations()
            assert app.sent == 0
            end = b""
            async with asyncio.timeout(60):
                while b"HTTP/1.1 101" not in end:
                    piece = await caller.reader.read(2**20)
                    assert piece, "the connection has ended"
                    end = end[-20:] + piece


class TestEarlyFrames:
    @pytest.mark.parametrize("within", [True, False], ids=["with the head", "behind it"])
    @pytest.mark.parametrize(
        ("early", "answer"),
        [
            (frame(PING, b"x"), (PONG, b"x")),
            (frame(CLOSE, b"\x03\xe8"), (CLOSE, b"\x03\xe8")),
            (frame(3), (CLOSE, b"\x03\xea")),
            (frame(TEXT, b"x", masked=False), (CLOSE, b"\x03\xea")),
            (frame(PING) * MOST_PINGS + frame(PING, b"x"), (PONG, b"")),
        ],
        ids=["ping", "close", "opcode", "mask", "pings"],
    )
    async def test_are_answered_once_it_is_accepted(
        self, app: App, port: int, early: bytes, answer: tuple[int, bytes], *, within: bool
    ) -> None:
        async with caller_of(port) as caller:
            if within:
                caller.say(HANDSHAKE + early)
            else:
                caller.say(HANDSHAKE)
                await pass_iterations()
                caller.say(early)
            await pass_iterations()
            app.let.set()
            await accepted(caller)
            async with asyncio.timeout(60):
                first, size = await caller.reader.readexactly(2)
                payload = await caller.reader.readexactly(size)
            assert (first & 15, payload[: len(answer[1])]) == answer

    async def test_too_many_pings_end_it(self, app: App, port: int) -> None:
        async with caller_of(port) as caller:
            caller.say(HANDSHAKE + frame(PING) * (MOST_PINGS + 50))
            await pass_iterations()
            app.let.set()
            assert b"\x03\xf0pings" in await caller.rest()

    async def test_come_in_order_however_long_they_are(self, app: App, port: int) -> None:
        """More than a head may have, so the server reads them in parts, and more than are kept."""
        texts = [str(number) * 300 for number in range(2_000)]
        async with caller_of(port) as caller:
            caller.say(HANDSHAKE + b"".join(frame(TEXT, text.encode()) for text in texts))
            await pass_iterations()
            assert app.heard == []
            app.let.set()
            caller.say(frame(CLOSE, b"\x03\xe8"))
            await caller.rest()
            assert app.heard == [*texts, 1000]

    async def test_no_more_is_read_once_they_are_many(self, app: App, port: int) -> None:
        """What one call reads, 256 KiB, and what the system buffers come on top."""
        async with caller_of(port) as caller:
            caller.say(HANDSHAKE + frame(TEXT, b"x" * 64) * (64 * 2**20 // 70))
            await pass_iterations()
            assert caller.writer.transport.get_write_buffer_size() > 32 * 2**20

    @pytest.mark.parametrize("early", [b"", frame(PING), frame(TEXT, bytes(MOST_EARLY_BYTES // 2))])
    async def test_the_app_learns_that_the_caller_has_disconnected(self, app: App, port: int, early: bytes) -> None:
        async with caller_of(port) as caller:
            caller.say(HANDSHAKE)
            await pass_iterations()
            caller.say(early)
            await pass_iterations()
        await eventually(lambda: _value(app.heard == ["websocket.disconnect"]))

    async def test_are_dropped_when_it_is_denied(self, app: App, port: int) -> None:
        app.denies = True
        async with caller_of(port) as caller:
            caller.say(HANDSHAKE + frame(TEXT, b"x") + frame(3))
            await pass_iterations()
            app.let.set()
            heard = await caller.rest()
            assert (heard.startswith(b"HTTP/1.1 403"), heard.endswith(b"\r\n\r\nno")) == (True, True)
        await eventually(lambda: _value(app.heard == [1006]))


_WRONG = {
    "no key": (VERSION, "its Sec-WebSocket-Key is missing"),
    "a short key": (b"Sec-WebSocket-Key: c2VjcmV0\r\n" + VERSION, "its Sec-WebSocket-Key is not valid"),
    "two keys": (KEY + KEY + VERSION, "its Sec-WebSocket-Key is not valid"),
    "no version": (KEY, "its Sec-WebSocket-Version is missing"),
    "a malformed protocol": (
        KEY + VERSION + b"Sec-WebSocket-Protocol: c2VjcmV0;\r\n",
        "its Sec-WebSocket-Protocol is not valid",
    ),
    "a long list of protocols": (
        KEY + VERSION + b"Sec-WebSocket-Protocol: a" + b",a" * 32 + b"\r\n",
        "its Sec-WebSocket-Protocol has too many elements",
    ),
    "many lines of protocols": (
        KEY + VERSION + b"Sec-WebSocket-Protocol: a,a,a\r\n" * 11,
        "its Sec-WebSocket-Protocol has too many elements",
    ),
    "a long list of options": (
        KEY + VERSION + b"Connection: a" + b",a" * 32 + b"\r\n",
        "its Connection has too many elements",
    ),
    "two upgrades": (KEY + VERSION + b"Upgrade: c2VjcmV0\r\n", "its Upgrade is not valid"),
}


class TestRefused:
    @pytest.mark.parametrize(("lines", "reason"), _WRONG.values(), ids=_WRONG)
    async def test_a_malformed_one_gets_the_common_error_format(self, lines: bytes, reason: str) -> None:
        before = _refused()
        async with served() as server, server.caller() as caller:
            caller.say(GET)
            assert await caller.hear() == (200, b"ok")
            caller.say(HEAD + lines + b"\r\n" + GET)
            head, _, body = (await caller.rest()).partition(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 400 ")
            assert b"c2VjcmV0" not in body
            told = json.loads(body)
            assert (told["code"], told["args"]) == (MalformedRequest.code, {"reason": reason})
            assert len(server.app.seen) == 1
        assert _refused() == before + 1

    @pytest.mark.parametrize("version", [b"8", b"13, 8", b"c2VjcmV0"])
    async def test_another_version_gets_the_one_that_the_server_speaks(self, version: bytes) -> None:
        async with served() as server, server.caller() as caller:
            caller.say(HEAD + KEY + b"Sec-WebSocket-Version: " + version + b"\r\n\r\n")
            head, _, body = (await caller.rest()).partition(b"\r\n\r\n")
            lines = head.decode().lower().split("\r\n")
            assert lines[0] == "http/1.1 426 upgrade required"
            assert {"sec-websocket-version: 13", "upgrade: websocket", "connection: upgrade"} <= set(lines)
            told = json.loads(body)
            assert (told["code"], told["status"]) == (MalformedRequest.code, 426)
            assert told["args"] == {"reason": "its Sec-WebSocket-Version is not 13"}
            assert server.app.seen == []

    async def test_a_defect_of_the_library_is_logged_and_is_no_fault_of_the_caller(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fails(*_: object) -> None:
            raise ValueError("a defect")

        monkeypatch.setattr(ServerProtocol, "process_request", fails)
        async with served() as server, server.caller() as caller:
            with structlog.testing.capture_logs() as logs:
                caller.say(HANDSHAKE)
                assert await caller.refused() == (InternalError.status, InternalError.code)
            assert server.app.seen == []
        (entry,) = [entry for entry in logs if entry["event"] == "http_request_failed"]
        assert str(entry["exc_info"].__context__) == "a defect"


def _refused() -> float:
    return REGISTRY.get_sample_value("mlp_http_refused_total", {"reason": "malformed"}) or 0.0


async def _value(value: object) -> object:
    return value


class TestLostConnections:
    async def test_an_app_that_goes_on_sending_hears_of_it_at_once(self) -> None:
        """It would keep the event loop to itself: nothing that it sends has to wait."""
        sent = 0

        async def app(_scope: Scope, receive: Receive, send: Send) -> None:
            nonlocal sent
            await receive()
            await send({"type": "websocket.accept"})
            cast("Any", send).__self__.evict()
            while sent < 1000:
                await send({"type": "websocket.send", "bytes": b"x"})
                sent += 1

        async with serving(app) as port, caller_of(port) as caller:
            caller.say(HANDSHAKE)
            async with asyncio.timeout(60):
                with contextlib.suppress(ConnectionError):
                    await caller.reader.read()
        assert sent < 10
