"""Uvicorn inside a life cycle that is not its own: whoever starts it decides when it stops."""

import asyncio
import contextlib
import socket
from collections.abc import Generator

import uvicorn
from starlette.types import ASGIApp


class Server(uvicorn.Server):
    """Signals belong to the process, which has more to stop than an HTTP server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def listen(host: str, port: int) -> socket.socket:
    """A bound socket. Raises OSError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener


class HttpServer:
    """`trusted_proxies` are addresses, comma-separated, whose X-Forwarded-For is believed; `*` trusts all."""

    def __init__(self, app: ASGIApp, listener: socket.socket, *, trusted_proxies: str | None = None) -> None:
        self._server = Server(
            uvicorn.Config(
                app,
                loop="uvloop",
                http="httptools",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                forwarded_allow_ips=trusted_proxies,
                timeout_graceful_shutdown=20,
                timeout_keep_alive=65,
            )
        )
        self._listener = listener
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        self._task = asyncio.create_task(self._server.serve([self._listener]), name="http-server")
        while not self._server.started:
            if self._task.done():
                await self._task
            await asyncio.sleep(0.01)

    async def stop(self) -> None:
        """Answers running requests, refuses new connections."""
        self._server.should_exit = True
        if self._task:
            await self._task
