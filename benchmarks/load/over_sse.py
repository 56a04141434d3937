"""Load of callers that read server-sent events. Every event is counted and its order is checked."""

import asyncio
import itertools
import time
from functools import cache

from benchmarks.load.over_http import Connection, request_of
from benchmarks.load.requests import Order
from benchmarks.load.window import Window

_OK = 200
_END = b"\n\n"
_GONE_SECONDS = 30.0


@cache
def marks(count: int) -> tuple[bytes, ...]:
    """The text in each event of a stream: its number, written by `word`."""
    return tuple(word(number).encode() for number in range(count))


def word(number: int) -> str:
    return f"word-{number}."


class Reader(Connection):
    """Sends requests with streamed answers."""

    def __init__(self, window: Window, request: bytes, frames: int) -> None:
        super().__init__(window)
        self._request = request
        self._marks = marks(frames)

    def begin(self) -> bytes:
        self._rest = b""
        self._strange = b""
        self._seen = self._merged = self._in_chunk = 0
        self._first = self._gap = self._last = 0.0
        return self._request

    def on_chunk_header(self) -> None:
        self._in_chunk = 0

    def on_body(self, body: bytes) -> None:
        if self._rest:
            body = self._rest + body
        *events, self._rest = body.split(_END)
        for event in events:
            self._event(event)

    def _event(self, event: bytes) -> None:
        if self._seen == len(self._marks) or self._marks[self._seen] not in event:
            # The first and the last event have no number.
            self._strange = self._strange if b"word-" not in event else event
            return
        now = time.perf_counter()
        if self._seen:
            self._gap = max(self._gap, now - self._last)
        else:
            self._first = now - self._sent
        self._last = now
        self._seen += 1
        self._in_chunk += 1
        self._merged += self._in_chunk > 1
        self._window.note_frame()

    def on_message_complete(self) -> None:
        whole = self._seen == len(self._marks) and not self._strange
        good = self._parser.get_status_code() == _OK and whole
        text = "" if good else f"{self._parser.get_status_code()}, {self._seen} events, {self._strange + self._rest!r}"
        self._window.note(self._first, good=good, text=text)
        if good:
            self._window.note_stream(merged=self._merged, longest_gap=self._gap)
        self.ask()


async def load(order: Order, window: Window) -> None:
    """Callers start one after the other during the warm-up, so that their streams are out of phase."""
    loop = asyncio.get_running_loop()
    readers: list[Reader] = []
    paths = itertools.cycle(order.paths)
    running = asyncio.create_task(window.run())
    for _ in range(order.concurrency):
        request = request_of(order, next(paths))
        _, reader = await loop.create_connection(
            lambda request=request: Reader(window, request, order.frames), "127.0.0.1", order.port
        )
        readers.append(reader)
        await asyncio.sleep(order.warm_up / 2 / order.concurrency)
    await running
    await asyncio.wait([reader.gone for reader in readers], timeout=_GONE_SECONDS)
