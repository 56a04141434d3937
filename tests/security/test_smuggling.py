"""Ambiguous HTTP requests sent directly to the services' server; the edge has its own tests."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import suppress

import pytest
from starlette.types import Receive, Scope, Send

from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer

SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
CHUNKED = b"0\r\n\r\n" + SMUGGLED
LAST = b"GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


def post(*lines: str, body: bytes = b"") -> bytes:
    return (
        ("POST /carrier HTTP/1.1\r\nHost: x\r\n" + "".join(f"{line}\r\n" for line in lines)).encode() + b"\r\n" + body
    )


UNCLEAR = {
    "CL.TE": post("Content-Length: 60", "Transfer-Encoding: chunked", body=CHUNKED),
    "TE.CL": post("Transfer-Encoding: chunked", "Content-Length: 4", body=CHUNKED),
    "two lengths": post("Content-Length: 5", "Content-Length: 0", body=SMUGGLED),
    "a list of lengths": post("Content-Length: 0, 5", body=SMUGGLED),
    "a signed length": post("Content-Length: +0", body=SMUGGLED),
    "a negative length": post("Content-Length: -1", body=SMUGGLED),
    "a hexadecimal length": post("Content-Length: 0x0", body=SMUGGLED),
    "a length that overflows": post(f"Content-Length: {2**64}", body=SMUGGLED),
    "an unknown coding": post("Transfer-Encoding: xchunked", "Content-Length: 5", body=CHUNKED),
    "identity after chunked": post("Transfer-Encoding: chunked, identity", body=CHUNKED),
    "a coding with a tab": post("Transfer-Encoding:\tchunked", "Content-Length: 0", body=CHUNKED),
    "a folded coding": post("Transfer-Encoding:", " chunked", "Content-Length: 0", body=CHUNKED),
    "a folded length": post("Content-Length:", " 5", "Content-Length: 0", body=SMUGGLED),
    "a bad chunk size": post("Transfer-Encoding: chunked", body=b"-1\r\n" + SMUGGLED),
    "a chunk size that overflows": post("Transfer-Encoding: chunked", body=b"1" + b"0" * 16 + b"\r\n" + SMUGGLED),
    "blank before the colon": post("Content-Length : 5", "Content-Length: 0", body=SMUGGLED),
    "a null in a header": post("X-Y: a\0b", "Content-Length: 0", body=SMUGGLED),
    "a bare line feed": b"POST /carrier HTTP/1.1\nHost: x\nTransfer-Encoding: chunked\nContent-Length: 4\n\n" + CHUNKED,
    "a carriage return alone": post("X: y\rTransfer-Encoding: chunked", "Content-Length: 0", body=CHUNKED),
    "HTTP/2 preface": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + SMUGGLED,
}
SECOND_REQUEST_OF_ITS_OWN = {"a signed length", "a null in a header"}


class Record:
    """Records the path and body of each request."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, bytes]] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        body = b""
        while (message := await receive())["type"] == "http.request":
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        self.seen.append((scope["path"], body))
        content = json.dumps(scope["path"]).encode()
        await send(
            {"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(content))]}
        )
        await send({"type": "http.response.body", "body": content})


@pytest.fixture(scope="module")
async def server() -> AsyncGenerator[tuple[int, Record]]:
    app, listener = Record(), listen("127.0.0.1", 0)
    running = HttpServer(app, listener)
    await running.start()
    yield listener.getsockname()[1], app
    await running.stop()


async def say(port: int, data: bytes) -> bytes:
    """Data until the server closes the connection or is silent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    heard = b""
    try:
        writer.write(data)
        with suppress(TimeoutError, ConnectionResetError):
            async with asyncio.timeout(0.7):
                while part := await reader.read(65536):
                    heard += part
    finally:
        writer.close()
    return heard


class TestRequestSmuggling:
    @pytest.mark.parametrize("kind", UNCLEAR)
    async def test_a_body_of_unclear_length_never_becomes_a_second_request(
        self, server: tuple[int, Record], kind: str
    ) -> None:
        port, app = server
        app.seen.clear()
        heard = await say(port, UNCLEAR[kind] + LAST)
        assert "/smuggled" not in [path for path, _ in app.seen], heard

    async def test_a_body_that_looks_like_a_request_stays_a_body(self, server: tuple[int, Record]) -> None:
        port, app = server
        app.seen.clear()
        await say(port, post(f"Content-Length: {len(SMUGGLED)}", body=SMUGGLED) + LAST)
        assert app.seen == [("/carrier", SMUGGLED), ("/last", b"")]
