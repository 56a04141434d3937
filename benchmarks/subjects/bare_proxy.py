"""A minimal proxy: bytes from HTTP to a unary gRPC method and back.

It has no keys, rights, limits, money, usage, retries, timeouts, traces, metrics, streaming, request ids, error pages
or choice of an instance. `python -m benchmarks.subjects.bare_proxy PORT UPSTREAM_PORT`.
"""

import sys
from collections.abc import Awaitable, Callable

import grpc.aio

from benchmarks.subjects.raw_asgi import Message, Receive, Send, body_of, run, serve

UnaryCall = Callable[[bytes], Awaitable[bytes]]


class BareProxy:
    def __init__(self, call: UnaryCall) -> None:
        self._call = call

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        body = await body_of(receive)
        answer = await self._call(body)
        headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(answer))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": answer})


async def main(port: int, upstream: int) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{upstream}") as channel:
        call: UnaryCall = channel.unary_unary("/benchmarks.Echo/echo")
        await serve(BareProxy(call), port)


if __name__ == "__main__":
    run(main(int(sys.argv[1]), int(sys.argv[2])))
