"""What is left of a proxy without the platform: bytes from HTTP to a unary gRPC method and back.

It leaves out keys, rights, limits, money, usage, retries, time-outs, traces, metrics, streaming, request ids, error
pages and the choice of an instance. `python -m benchmarks.subjects.bare_proxy PORT UPSTREAM_PORT`.
"""

import asyncio
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import grpc.aio
import uvicorn
import uvloop

Message = dict[str, Any]
UnaryCall = Callable[[bytes], Awaitable[bytes]]


class BareProxy:
    def __init__(self, call: UnaryCall) -> None:
        self._call = call

    async def __call__(
        self,
        scope: Message,
        receive: Callable[[], Awaitable[Message]],
        send: Callable[[Message], Awaitable[None]],
    ) -> None:
        if scope["type"] != "http":
            return
        body = b""
        more = True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        answer = await self._call(body)
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


async def main(port: int, upstream: int) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{upstream}") as channel:
        call: UnaryCall = channel.unary_unary("/benchmarks.Echo/echo")
        listener = socket.create_server(("127.0.0.1", port), backlog=1024)
        config = uvicorn.Config(
            BareProxy(call), loop="uvloop", http="httptools", lifespan="off", access_log=False, log_level="warning"
        )
        await uvicorn.Server(config).serve([listener])


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(int(sys.argv[1]), int(sys.argv[2])))
