"""Reading what an HTTP caller sends, and noticing that it left."""

import asyncio
from types import TracebackType
from typing import Final

from starlette.types import Receive, Scope

from mlpgateway.call.large_json import LARGE_BYTES
from mlpgateway.entry.large_bodies.memory import SharedBody
from mlpgateway.shares.admission import Entry
from mlplace_kit.errors import PayloadTooLarge

MOST_OF_UNKNOWN_LENGTH: Final = 4 * 1024 * 1024
APART_BYTES: Final = 4 * 1024 * 1024
"""From here on a body is read by another process: this one parses 4 MiB in ten milliseconds at most."""
_UNWATCHED_SECONDS: Final = 0.05

Received = bytes | bytearray | SharedBody


def expected_size(scope: Scope) -> int:
    """What the caller says that its body has; 0 when it does not say."""
    told = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
    return int(told) if told.isdigit() and len(told) <= 18 else 0


async def read_body(scope: Scope, receive: Receive, entry: Entry) -> Received | None:
    """None when the caller left before its end. Raises GateOverloaded, PayloadTooLarge.

    Whoever does not say how much it sends is heard for 4 MiB: what is too much must be known before it fills memory.
    A large body grows where it lies: pieces of it that are joined at the end take its size twice.
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
            raise PayloadTooLarge(limit=str(MOST_OF_UNKNOWN_LENGTH))
        entry.holds(len(chunk))
        chunks.append(chunk)
        if not message.get("more_body", False):
            return chunks[0] if len(chunks) == 1 else b"".join(chunks)


async def _read_large(receive: Receive, entry: Entry, expected: int) -> bytearray | SharedBody | None:
    """As `read_body`. No more room is made than what has come needs: the caller may never send what it promised."""
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


class WhileConnected:
    """Cancels the block when the caller hangs up, and ends it quietly then: nobody is left to answer.

    What ends in a moment is not watched: a task for each call costs more than to finish what nobody will read.
    """

    __slots__ = ("_gone", "_receive", "_task", "_timer", "_watched", "_watcher")

    def __init__(self, receive: Receive, *, watched: bool = False) -> None:
        """`watched`: somebody reads the body within the block, and notices by that; call `watch` when it is read."""
        self._receive = receive
        self._watched = watched
        self._gone = False
        self._task: asyncio.Task[object] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._watcher: asyncio.Task[None] | None = None

    def __enter__(self) -> None:
        self._task = asyncio.current_task()
        if not self._watched:
            self._timer = asyncio.get_running_loop().call_later(_UNWATCHED_SECONDS, self.watch)

    def watch(self) -> None:
        """From now on. Again, or after the block, is no error."""
        if self._watcher is None and self._task is not None and not self._gone:
            self._watcher = asyncio.create_task(self._watch())

    async def _watch(self) -> None:
        """What is left of the body is read and dropped: the instance has answered without it."""
        try:
            while (await self._receive())["type"] != "http.disconnect":
                pass
        except PayloadTooLarge:
            return  # more than may be sent at all; its connection is closed with the answer
        self.leave()

    def leave(self) -> None:
        """The caller has hung up."""
        self._gone = True
        if self._task is not None:
            self._task.cancel()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if self._timer is not None:
            self._timer.cancel()
        watcher, self._watcher = self._watcher, None  # its end holds the frames of its wait, and they hold this
        if watcher is not None:
            watcher.cancel()
        task, self._task = self._task, None
        by_caller = self._gone and isinstance(error, asyncio.CancelledError)
        return by_caller and task is not None and task.uncancel() == 0
