"""Tests a service's WebSockets: ids, refusals, shutdown and logs."""

import asyncio
import logging
import socket
from collections.abc import AsyncGenerator

import pytest
from starlette.types import Receive, Scope, Send
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from mlplace_kit.errors import AccessDenied
from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer
from mlplace_runtime.web.request_context import RequestContext


class App:
    """Echoes, or refuses the handshake."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.seen: list[Scope] = []
        self.heard: list[str] = []

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.seen.append(scope)
        await receive()
        if self.error is not None:
            raise self.error
        await send({"type": "websocket.accept"})
        while (message := await receive())["type"] == "websocket.receive":
            if message["text"] == "fail":
                raise RuntimeError(message["text"])
            await send({"type": "websocket.send", "text": message["text"]})
        self.heard.append(f"{message['type']} {message['code']}")


@pytest.fixture
def app() -> App:
    return App()


@pytest.fixture
def listener() -> socket.socket:
    return listen("127.0.0.1", 0)


@pytest.fixture
def address(listener: socket.socket) -> str:
    return f"ws://127.0.0.1:{listener.getsockname()[1]}/pass-secret?token=secret"


@pytest.fixture(autouse=True)
async def server(app: App, listener: socket.socket) -> AsyncGenerator[HttpServer]:
    made = HttpServer(RequestContext(app, service="test", max_body_bytes=1), listener)
    await made.start()
    yield made
    await made.stop()


class TestSocket:
    async def test_has_the_callers_request_id(self, app: App, address: str) -> None:
        async with connect(address, additional_headers={"Z-requestId": "mine"}, proxy=None) as caller:
            assert caller.response is not None
            assert caller.response.headers["Z-requestId"] == "mine"
            await caller.send("a")
            assert await caller.recv() == "a"
        assert app.seen[0]["mlp.request_id"] == "mine"

    async def test_a_refused_handshake_gets_the_common_error_format(self, app: App, address: str) -> None:
        app.error = AccessDenied()
        with pytest.raises(InvalidStatus) as refused:
            await connect(address, proxy=None)
        response = refused.value.response
        assert response.status_code == 403
        assert AccessDenied.code.encode() in (response.body or b"")
        assert response.headers["Z-requestId"]

    async def test_is_closed_when_its_service_fails(self, address: str) -> None:
        async with connect(address, proxy=None) as caller:
            await caller.send("fail")
            with pytest.raises(ConnectionClosed):
                await caller.recv()

    async def test_is_closed_with_1012_when_the_server_stops(self, app: App, server: HttpServer, address: str) -> None:
        async with connect(address, proxy=None) as caller:
            async with asyncio.timeout(60):
                await server.stop()
                with pytest.raises(ConnectionClosed):
                    await caller.recv()
        assert caller.close_code == 1012
        assert app.heard == ["websocket.disconnect 1012"]

    async def test_its_address_appears_in_no_log(
        self, app: App, address: str, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.INFO, logger="uvicorn.error"):
            async with connect(address, proxy=None):
                pass
            app.error = AccessDenied()
            with pytest.raises(InvalidStatus):
                await connect(address, proxy=None)
        assert "secret" not in caplog.text
        assert "without completing handshake" not in caplog.text
