"""Reads an HTTP caller's request, and notices when the caller leaves."""

import asyncio
from types import TracebackType
from typing import Final

from starlette.types import Receive, Scope

from mlpgateway.call.large_json import LARGE_BYTES
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.entry.large_bodies.reader import APART_BYTES
from mlpgateway.features.idempotency.fingerprints import RequestParts
from mlpgateway.shares.admission import Entry
from mlplace_kit.errors import LengthNeeded, PayloadTooLarge

MOST_OF_UNKNOWN_LENGTH: Final = 4 * 1024 * 1024
UNWATCHED_SECONDS: Final = 0.05

Received = bytes | bytearray | SharedBody


def expected_size(scope: Scope) -> int:
    """Returns the Content-Length; 0 when there is none."""
    told = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    return int(told) if told.isdigit() and len(told) <= 18 else 0


async def read_body(scope: Scope, receive: Receive, entry: Entry) -> Received | None:
    """Returns the body; None when the caller left before its end. Raises GateOverloaded, PayloadTooLarge, LengthNeeded.

    Without a Content-Length at most 4 MiB are accepted: an excess must be known before it fills memory. A large body
    grows in place, because joining its pieces at the end would take twice its size.
    """
    expected = expected_size(scope)
    if expected >= LARGE_BYTES:
        return await _read_large(receive, entry, expected)
    chunks: list[bytes] = []
    left = expected or MOST_OF_UNKNOWN_LENGTH
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        chunk = message.get("body", b"")
        left -= len(chunk)
        if left < 0:
            raise PayloadTooLarge(limit=str(expected)) if expected else LengthNeeded(limit=str(MOST_OF_UNKNOWN_LENGTH))
        entry.holds(len(chunk))
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def _read_large(receive: Receive, entry: Entry, expected: int) -> bytearray | SharedBody | None:
    """Like `read_body`. Allocates only what has arrived: the caller may never send what it announced."""
    body = bytearray() if expected < APART_BYTES else SharedBody(expected)
    while True:
        message = await receive()
        if message["type"] != "http.request":
            return None
        chunk = message.get("body", b"")
        if len(body) + len(chunk) > expected:
            raise PayloadTooLarge(limit=str(expected))
        entry.holds(len(chunk))
        body.extend(chunk)
        if not message.get("more_body", False):
            return body


def identifying(scope: Scope, body: Received) -> RequestParts:
    """Returns what identifies a request: path, query and body. The body is not copied."""
    address = f"{scope['path']}?".encode() + scope["query_string"] + b"\n"
    return address, body.view if isinstance(body, SharedBody) else body


class WhileConnected:
    """Cancels the block when the caller disconnects, and then ends it without an error: nobody is left to answer.

    Short blocks are not watched: a task per call costs more than finishing an answer that nobody reads.
    """

    __slots__ = ("_gone", "_receive", "_task", "_timer", "_watched", "_watcher")

    def __init__(self, receive: Receive, *, watched: bool = False) -> None:
        """`watched`: the block reads the body itself and notices the disconnect; it calls `watch` after the body."""
        self._receive = receive
        self._watched = watched
        self._gone = False
        self._task: asyncio.Task[object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._watcher: asyncio.Task[None] | None = None

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        if not self._watched:
            self._timer = asyncio.get_running_loop().call_later(UNWATCHED_SECONDS, self.watch)

    def watch(self) -> None:
        """Starts watching. Idempotent, and has no effect after the block."""
        if self._watcher is None and self._task is not None and not self._gone:
            self._watcher = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        """Reads and drops the rest of the body: the instance has answered without it."""
        try:
            while (await self._receive())["type"] != "http.disconnect":
                pass
        except PayloadTooLarge:
            return  # the body is too large; its connection is closed with the answer
        self.leave()

    def leave(self) -> None:
        """Cancels the block: the caller has disconnected."""
        self._gone = True
        if self._task is not None:
            self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if self._timer is not None:
            self._timer.cancel()
        watcher, self._watcher = self._watcher, None  # breaks a reference cycle through the watcher's frames
        if watcher is not None:
            watcher.cancel()
        task, self._task = self._task, None
        by_caller = self._gone and isinstance(error, asyncio.CancelledError)
        return by_caller and task is not None and task.uncancel() == 0
