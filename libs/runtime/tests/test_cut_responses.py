"""Tests what the caller gets and what the log says when an application fails in the middle of a response."""

import asyncio
import logging
from collections.abc import AsyncGenerator

import pytest
from starlette.types import Receive, Scope, Send

from mlplace_kit.errors import Unavailable
from mlplace_runtime.process.http.binding import bind
from mlplace_runtime.process.http.server import HttpServer
from mlplace_runtime.web.request_context import RequestContext

LENGTH = b"content-length"


async def fails(scope: Scope, receive: Receive, send: Send) -> None:
    """Sends the start of a response as the address says, and raises the error that it names."""
    _, begun, error = scope["path"].split("/")
    await receive()
    if begun != "nothing":
        headers = [(LENGTH, b"10")] if begun == "length" else []
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": b"begun", "more_body": True})
    raise Unavailable if error == "domain" else ZeroDivisionError


@pytest.fixture
async def port() -> AsyncGenerator[int]:
    listener = bind("127.0.0.1", 0)
    server = HttpServer(RequestContext(fails, service="test", max_body_bytes=1), listener)
    await server.start()
    yield listener.getsockname()[1]
    await server.stop()


async def asked(port: int, path: str, version: str = "1.1") -> tuple[bytes, bytes]:
    """Returns head and body of the response, up to the end of the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {path} HTTP/{version}\r\nHost: x\r\n\r\n".encode())
    async with asyncio.timeout(60):
        head, _, body = (await reader.read()).partition(b"\r\n\r\n")
    writer.close()
    return head, body


def errors(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR]


class TestCutResponses:
    @pytest.mark.parametrize(("begun", "body"), [("chunks", b"5\r\nbegun\r\n"), ("length", b"begun")])
    async def test_domain_error_ends_the_connection_and_is_no_defect(
        self, port: int, caplog: pytest.LogCaptureFixture, begun: str, body: bytes
    ) -> None:
        assert (await asked(port, f"/{begun}/domain"))[1] == body
        assert errors(caplog) == []

    async def test_domain_error_resets_a_connection_of_http10(
        self, port: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        with pytest.raises(ConnectionResetError):
            await asked(port, "/chunks/domain", "1.0")
        assert errors(caplog) == []

    async def test_other_error_ends_the_connection_and_is_logged(
        self, port: int, caplog: pytest.LogCaptureFixture
    ) -> None:
        assert (await asked(port, "/chunks/other"))[1] == b"5\r\nbegun\r\n"
        assert errors(caplog) == ["Exception in ASGI application\n"]
