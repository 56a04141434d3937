"""Load over HTTP/1.1 on bare sockets."""

import asyncio
import itertools
import time
from abc import ABC, abstractmethod
from typing import cast

import httptools

from benchmarks.load.requests import Order
from benchmarks.load.window import Window

_OK = 200


class Connection(asyncio.Protocol, ABC):
    """Sends a request, reads the whole answer, and repeats until the window is over. `gone` is done when it ends."""

    def __init__(self, window: Window) -> None:
        self._window = window
        self._parser = httptools.HttpResponseParser(self)
        self._sent = 0.0
        self.gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    @abstractmethod
    def begin(self) -> bytes:
        """Reset the state of the last answer and return the next request."""

    def ask(self) -> None:
        if self._window.over:
            self._transport.close()
            return
        request = self.begin()
        self._sent = time.perf_counter()
        self._transport.write(request)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.ask()

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._window.over:
            self._window.note(0, good=False, text=f"connection lost: {exc!r}")
        if not self.gone.done():
            self.gone.set_result(None)


class Caller(Connection):
    """Sends requests with whole answers."""

    def __init__(self, window: Window, requests: list[bytes]) -> None:
        super().__init__(window)
        self._requests = itertools.cycle(requests)
        self._body = b""

    def begin(self) -> bytes:
        self._body = b""
        return next(self._requests)

    def on_body(self, body: bytes) -> None:
        if not self._body:
            self._body = body

    def on_message_complete(self) -> None:
        status = self._parser.get_status_code()
        good = status == _OK
        text = "" if good else f"{status} {self._body.decode(errors='replace')}"
        self._window.note(time.perf_counter() - self._sent, good=good, text=text)
        self.ask()


async def load(order: Order, window: Window) -> None:
    loop = asyncio.get_running_loop()
    requests = [request_of(order, path) for path in order.paths]
    callers: list[Caller] = []
    for _ in range(order.concurrency):
        _, caller = await loop.create_connection(lambda: Caller(window, requests), "127.0.0.1", order.port)
        callers.append(caller)
    await window.run()
    await asyncio.wait([caller.gone for caller in callers], timeout=10)


def request_of(order: Order, path: str) -> bytes:
    body = order.body.encode()
    lines = [f"{order.method} {path} HTTP/1.1", f"host: 127.0.0.1:{order.port}"]
    lines += [f"{name}: {value}" for name, value in order.headers.items()]
    if body:
        lines += ["content-type: application/json", f"content-length: {len(body)}"]
    return "\r\n".join([*lines, "", ""]).encode() + body
