"""ASGI without a framework, for both bare proxies, on the same HTTP server as the gateway."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import uvicorn
import uvloop

Message = dict[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]


async def body_of(receive: Receive) -> bytes:
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def serve(app: App, port: int) -> None:
    listener = socket.create_server(("127.0.0.1", port), backlog=1024)
    config = uvicorn.Config(app, loop="uvloop", http="httptools", lifespan="off", access_log=False, log_level="warning")
    await uvicorn.Server(config).serve([listener])


def run(main: Coroutine[Any, Any, None]) -> None:
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main)
