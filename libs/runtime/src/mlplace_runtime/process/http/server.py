"""Runs uvicorn within another life cycle: the caller decides when it stops."""

import asyncio
import contextlib
import logging
import socket
from collections.abc import Generator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, cast

import uvicorn
from starlette.types import ASGIApp

from mlplace_runtime.process.descriptors import descriptor_limit
from mlplace_runtime.process.http.direct import Direct
from mlplace_runtime.process.http.guard import Guard
from mlplace_runtime.process.http.limits import HttpLimits
from mlplace_runtime.process.http.protocol import HttpProtocol
from mlplace_runtime.process.http.proxies import BehindProxies
from mlplace_runtime.process.http.socket import SocketProtocol
from mlplace_runtime.process.listeners import refuse_newcomers
from mlplace_runtime.process.trusted_proxies import TrustedProxies

_LOOK_SECONDS = 0.05
_MOST_MESSAGE_BYTES = 4 * 1024 * 1024


class _OfSockets(logging.Filter):
    """Drops two unwanted log lines of uvicorn.

    It logs the address of each WebSocket, with its query and with passes in its path. And it reports a WebSocket that
    was refused with an HTTP response as unanswered.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        text = str(record.msg)
        return "WebSocket %s" not in text and "without completing handshake" not in text


_OF_SOCKETS = _OfSockets()


class Server(uvicorn.Server):
    """Leaves signals to the process, which has more to stop than an HTTP server."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None]:
        yield


@dataclass(frozen=True, slots=True)
class ShutdownTimes:
    """`idle_seconds`: how long other sides get to close connections without a request; closed by them, no request is
    lost.

    `running_seconds`: how long running requests get after that.
    """

    idle_seconds: float = 0.0
    running_seconds: float = 20.0


class HttpServer:
    """`trusted_proxies` are those whose X-Forwarded-For is believed, as TrustedProxies takes them; empty: nobody.

    Callers get half of the files that the process may open. The rest is for connections to gates, the database and
    instances, and for files.
    """

    def __init__(
        self,
        app: ASGIApp,
        listener: socket.socket,
        *,
        trusted_proxies: str = "",
        limits: HttpLimits | None = None,
        direct: Direct | None = None,
    ) -> None:
        """`direct` answers some requests itself, without `app`."""
        limits = limits or HttpLimits()
        limits = replace(limits, connections=min(limits.connections, descriptor_limit() // 2))
        self._proxies = TrustedProxies(trusted_proxies)
        self._guard = Guard(limits, self._proxies, direct)
        self._server = Server(
            uvicorn.Config(
                BehindProxies(app, self._proxies) if self._proxies else app,
                loop="uvloop",
                http=cast("Any", partial(HttpProtocol, self._guard)),
                lifespan="off",
                log_config=None,
                access_log=False,
                server_header=False,
                proxy_headers=False,  # without proxies named, it would trust 127.0.0.1, and an environment variable
                timeout_graceful_shutdown=20,
                ws=SocketProtocol,
                ws_max_size=_MOST_MESSAGE_BYTES,
                ws_per_message_deflate=False,  # would take a quarter of a megabyte per connection
            )
        )
        logging.getLogger("uvicorn.error").addFilter(_OF_SOCKETS)
        self._listener = listener
        self._task: asyncio.Task[None] | None = None
        self._looking: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        await self._proxies.start()
        self._task = asyncio.create_task(self._server.serve([self._listener]), name="http-server")
        while not self._server.started:
            if self._task.done():
                await self._task
            await asyncio.sleep(0.01)
        state = self._server.server_state
        self._looking = [
            asyncio.create_task(self._guard.run(lambda: state.connections), name="http-guard"),
            asyncio.create_task(self._proxies.run(), name="trusted-proxies"),
        ]

    def look(self, seconds: float) -> None:
        """Checks all connections now, as if `seconds` had passed since the last periodic check."""
        self._guard.look(list(self._server.server_state.connections), seconds)

    async def stop(self, times: ShutdownTimes | None = None) -> None:
        """Refuses new connections, answers requests on existing ones for the last time, then closes them."""
        times = times or ShutdownTimes()
        if self._task and not self._task.done():
            await self._refuse_newcomers()
            await self._wait_for_the_idle(times.idle_seconds)
        self._server.config.timeout_graceful_shutdown = round(max(1.0, times.running_seconds))
        self._server.should_exit = True
        if self._task:
            await self._task
        for task in self._looking:
            task.cancel()

    async def _refuse_newcomers(self) -> None:
        await refuse_newcomers(self._listener)
        for server in self._server.servers:
            server.close()
        self._listener.close()
        config, state = self._server.config, self._server.server_state
        config.encoded_headers = [*config.encoded_headers, (b"connection", b"close")]
        state.default_headers = [*state.default_headers, (b"connection", b"close")]

    async def _wait_for_the_idle(self, seconds: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._server.server_state.connections:  # noqa: ASYNC110  a plain set without notification
                    await asyncio.sleep(_LOOK_SECONDS)
