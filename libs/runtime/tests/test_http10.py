"""Tests responses to callers that speak HTTP/1.0."""

import asyncio
import gc
from collections.abc import AsyncGenerator
from contextlib import suppress
from typing import Any

import pytest
from starlette.types import Receive, Scope, Send

from mlplace_kit.errors import PayloadTooLarge
from mlplace_runtime.process.http.binding import bind
from mlplace_runtime.process.http.server import HttpServer


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers in two parts, with the status and the length that the address names, or breaks instead of ending."""
    await receive()
    status, length = scope["path"].removeprefix("/").split("-")
    headers = [(b"content-length", length.encode())] if length.isdigit() else []
    await send({"type": "http.response.start", "status": int(status), "headers": headers})
    if status == "200":
        await send({"type": "http.response.body", "body": b"one,", "more_body": True})
        await send({"type": "http.response.body", "body": b"two", "more_body": True})
    if length == "left":
        while (await receive())["type"] != "http.disconnect":
            pass
    if length in {"broken", "left"}:
        raise PayloadTooLarge(limit="1")
    await send({"type": "http.response.body", "body": b""})


@pytest.fixture
async def port() -> AsyncGenerator[int]:
    listener = bind("127.0.0.1", 0)
    server = HttpServer(app, listener)
    await server.start()
    yield listener.getsockname()[1]
    await server.stop()


async def asked(port: int, request: str) -> tuple[str, bytes]:
    """Returns the head of the response in lower case, and all that follows until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{request}\r\n\r\n".encode())
    async with asyncio.timeout(60):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return head.decode().lower(), body


class TestHttp10:
    @pytest.mark.parametrize("more", ["", "\r\nHost: x", "\r\nConnection: keep-alive"])
    async def test_body_of_unknown_length_ends_with_the_connection(self, port: int, more: str) -> None:
        head, body = await asked(port, f"GET /200- HTTP/1.0{more}")
        assert (head.split()[1], body) == ("200", b"one,two")
        assert "transfer-encoding" not in head
        assert "connection: close" in head

    async def test_incomplete_body_ends_with_a_reset(self, port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET /200-broken HTTP/1.0\r\n\r\n")
        with pytest.raises(ConnectionResetError):
            await asyncio.wait_for(reader.read(), 60)
        writer.close()
        with suppress(ConnectionResetError):
            await writer.wait_closed()

    async def test_end_of_a_caller_who_has_left_is_none(self, port: int) -> None:
        problems: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda _, problem: problems.append(problem))
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"GET /200-left HTTP/1.0\r\n\r\n")
            await reader.readuntil(b"two")
            tasks = asyncio.all_tasks()
            writer.close()
            await writer.wait_closed()
            await asyncio.wait(tasks - {asyncio.current_task()}, timeout=60, return_when=asyncio.FIRST_COMPLETED)
            del tasks
            gc.collect()
        finally:
            asyncio.get_running_loop().set_exception_handler(None)
        assert problems == []

    async def test_body_of_known_length_has_it(self, port: int) -> None:
        head, body = await asked(port, "GET /200-7 HTTP/1.0")
        assert ("content-length: 7" in head, "transfer-encoding" in head, body) == (True, False, b"one,two")

    async def test_upgrade_to_a_websocket_is_ignored(self, port: int) -> None:
        upgrade = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: YQ=="
        head, body = await asked(port, f"GET /200- HTTP/1.0\r\n{upgrade}")
        assert (head.split()[1], body) == ("200", b"one,two")
        later = f"GET /200- HTTP/1.1\r\nHost: x\r\n\r\nGET /200-7 HTTP/1.0\r\n{upgrade}"
        head, body = await asked(port, later)
        assert "transfer-encoding: chunked" in head
        assert body.count(b"HTTP/1.1 200") == 1

    async def test_caller_that_expects_100_gets_none(self, port: int) -> None:
        head, body = await asked(port, "GET /200-7 HTTP/1.0\r\nExpect: 100-continue")
        assert (head.split()[1], body) == ("200", b"one,two")

    @pytest.mark.parametrize("request_line", ["HEAD /200-", "GET /204-", "GET /304-"])
    async def test_response_without_a_body_has_none(self, port: int, request_line: str) -> None:
        head, body = await asked(port, f"{request_line} HTTP/1.0")
        assert ("transfer-encoding" in head, body) == (False, b"")


class TestHttp11:
    async def test_body_of_unknown_length_has_chunks(self, port: int) -> None:
        head, body = await asked(port, "GET /200- HTTP/1.1\r\nHost: x\r\nConnection: close")
        assert ("transfer-encoding: chunked" in head, body) == (True, b"4\r\none,\r\n3\r\ntwo\r\n0\r\n\r\n")
