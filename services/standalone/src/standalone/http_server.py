"""Uvicorn inside the platform's own life cycle: the platform decides when it stops."""

import asyncio
import contextlib
import socket
from collections.abc import Generator

import uvicorn
from starlette.types import ASGIApp

from standalone.problems import PortBusyError


class Server(uvicorn.Server):
    """Signals belong to the platform, which has more to stop than an HTTP server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


def listen(host: str, port: int, *, variable: str) -> socket.socket:
    """A bound socket. Raises PortBusyError."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise PortBusyError(port, variable) from None
    return listener


def assert_port_free(host: str, port: int, *, variable: str) -> None:
    """For ports that another library binds itself."""
    listen(host, port, variable=variable).close()


class HttpServer:
    def __init__(self, app: ASGIApp, listener: socket.socket) -> None:
        self._server = Server(
            uvicorn.Config(
                app,
                loop="uvloop",
                http="httptools",
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
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
