"""The body of a caller's request, read ahead within bounds."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Final, Self

from starlette.types import Message, Receive

from mlpgateway.call.call import Payload
from mlpgateway.entry.http.wire import UNWATCHED_SECONDS, WhileConnected
from mlpgateway.shares.admission import Entry
from mlplace_kit.errors import DomainError, MalformedRequest

AHEAD_BYTES: Final = 256 * 1024
"""Beyond this, the rest of a body stays with the caller until the instance has taken what was read."""
_SMALL_BYTES: Final = 4096
"""Pieces are joined up to this: each takes some fifty bytes more than it has."""


class IncomingRequest:
    """One request, from its first piece on, used as a context manager. If the caller disconnects, the block is
    cancelled and ends without an error.

    While the call waits, or while the instance does not read, the body is read ahead: only who receives notices a
    disconnect. With `AHEAD_BYTES` in memory reading pauses, and a disconnect is not noticed until it goes on.
    """

    def __init__(self, receive: Receive, first: Message, entry: Entry) -> None:
        """`entry` counts the bytes in memory."""
        self._receive = receive
        self._entry = entry
        self._pieces: deque[bytes] = deque()
        self._held = 0
        self._more = True
        self._changed, self._room = asyncio.Event(), asyncio.Event()
        self._failure: DomainError | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._reader: asyncio.Task[None] | None = None
        entry.holds(len(_piece_of(first)))
        self._take(first)
        self._connected = WhileConnected(receive, watched=self._more)

    @classmethod
    async def begin(cls, receive: Receive, entry: Entry) -> Self | None:
        """Returns None when the caller has left already."""
        first = await receive()
        return cls(receive, first, entry) if first["type"] == "http.request" else None

    def __enter__(self) -> None:
        self._connected.__enter__()
        if self._more:
            self._timer = asyncio.get_running_loop().call_later(UNWATCHED_SECONDS, self._read_ahead)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self._stop()
        return self._connected.__exit__(kind, error, trace)

    @property
    def whole(self) -> bytes | None:
        """The body when it came in one piece; None when more follows."""
        return None if self._more else self._pieces[0]

    async def parts(self) -> AsyncGenerator[Payload]:
        """Raises MalformedRequest when the caller leaves before the end, and the server's errors about its size."""
        if self._timer is not None:
            self._timer.cancel()
        self._read_ahead()
        try:
            while True:
                while not self._pieces and self._more and self._failure is None:
                    self._changed.clear()
                    await self._changed.wait()
                if not self._pieces:
                    break
                piece = self._pieces.popleft()
                yield Payload(protobuf=piece)
                self._held -= len(piece)
                self._entry.lets_go(len(piece))
                self._room.set()
            if self._failure is not None:
                raise self._failure
        finally:
            self._stop()
            self._connected.watch()

    def _read_ahead(self) -> None:
        self._timer = None
        if self._reader is None and self._more:
            self._reader = asyncio.create_task(self._read())

    def _stop(self) -> None:
        timer, self._timer = self._timer, None
        if timer is not None:
            timer.cancel()
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.cancel()

    async def _read(self) -> None:
        try:
            while self._more:
                while self._held >= AHEAD_BYTES:
                    self._room.clear()
                    await self._room.wait()
                message = await self._receive()
                if message["type"] != "http.request":
                    self._connected.leave()
                    raise MalformedRequest(reason="its body is incomplete")
                await self._hold(len(_piece_of(message)))
                self._take(message)
                self._changed.set()
        except DomainError as error:
            self._failure = error
            self._changed.set()
        else:
            self._connected.watch()

    async def _hold(self, size: int) -> None:
        """Counts a piece that is in memory; waits for room while the instance has earlier ones to take.

        Raises GateOverloaded, ShareExceeded.
        """
        while self._held and not self._entry.has_room(size):
            self._room.clear()
            await self._room.wait()
        self._entry.holds(size)

    def _take(self, message: Message) -> None:
        piece = _piece_of(message)
        self._held += len(piece)
        if self._pieces and len(self._pieces[-1]) + len(piece) <= _SMALL_BYTES:
            self._pieces[-1] += piece
        else:
            self._pieces.append(piece)
        self._more: bool = message.get("more_body", False)


def _piece_of(message: Message) -> bytes:
    return message.get("body", b"")
