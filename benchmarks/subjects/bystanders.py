"""Callers that call once and stay connected: `python -m benchmarks.subjects.bystanders`, with a JSON order on stdin.

Prints `ready` when each has its answer, or its first part. Fails when a connection ends.
"""

import asyncio
import json
import sys
from typing import cast

import uvloop

from benchmarks.load.over_http import request_of
from benchmarks.load.requests import Order

_AT_ONCE = 50
_GOOD = b"HTTP/1.1 200 "
_LATER = b"HTTP/1.1 503 "
_LATER_SECONDS = 1.0
_MOST_TIMES = 30


class TurnedAwayError(Exception):
    """A temporary refusal, expected because thousands connect within seconds."""


class Bystander(asyncio.Protocol):
    def __init__(self, request: bytes) -> None:
        self._request = request
        self._seen = b""
        loop = asyncio.get_running_loop()
        self.settled: asyncio.Future[None] = loop.create_future()
        self.gone: asyncio.Future[None] = loop.create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        cast("asyncio.Transport", transport).write(self._request)

    def data_received(self, data: bytes) -> None:
        self._seen += data
        head, end, body = self._seen.partition(b"\r\n\r\n")
        if not end or self.settled.done():
            return
        if head.startswith(_LATER):
            self.settled.set_exception(TurnedAwayError(self._seen.decode(errors="replace")[:500]))
        elif not head.startswith(_GOOD):
            self.settled.set_exception(ConnectionError(self._seen.decode(errors="replace")[:500]))
        elif body:
            self.settled.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self.settled.done():
            self.settled.set_exception(ConnectionError(f"closed before the answer: {exc!r}"))
        self.gone.set_result(None)


async def main(order: Order) -> None:
    loop = asyncio.get_running_loop()
    request = request_of(order, order.paths[0])
    room = asyncio.Semaphore(_AT_ONCE)

    async def call() -> Bystander:
        async with room:
            transport, caller = await loop.create_connection(lambda: Bystander(request), "127.0.0.1", order.port)
            try:
                await caller.settled
            except TurnedAwayError:
                transport.close()
                raise
            return caller

    async def until_let_in() -> Bystander:
        for _ in range(_MOST_TIMES):
            try:
                return await call()
            except TurnedAwayError:
                await asyncio.sleep(_LATER_SECONDS)
        return await call()

    callers = await asyncio.gather(*(until_let_in() for _ in range(order.concurrency)))
    print("ready", flush=True)
    await asyncio.wait([caller.gone for caller in callers], return_when=asyncio.FIRST_COMPLETED)
    raise ConnectionError("the gate has closed the connection of an idle caller")


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(main(Order(**json.loads(sys.stdin.readline()))))
