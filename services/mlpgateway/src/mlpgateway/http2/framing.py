"""Splits a peer's bytes into frames, and joins the frames of header blocks."""

from collections.abc import Callable
from typing import Final

from mlpgateway.http2 import frames
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.limits import FRAME_BYTES, HEADERS_BYTES

_MOST_BLOCKS: Final = 8
_PRIORITY_BYTES: Final = 5
FEW_FRAMES: Final = 64
"""Frames of a connection that are read in one turn of the event loop."""

TakeFrame = Callable[[int, int, int, bytes], None]
"""Takes kind, flags, stream and payload. Raises ConnectionFailedError."""


class FrameReader:
    """Splits received bytes into frames, after the connection preface.

    Small frames may be very many: `feed` takes a few of them. With `more`, others may follow in what it has: call it
    again in the next turn of the event loop, without data.
    """

    __slots__ = ("_preface", "_rest", "_take", "more")

    def __init__(self, take: TakeFrame) -> None:
        self._take = take
        self._preface: bytes = frames.PREFACE
        self._rest: bytes = b""
        self.more = False

    def feed(self, data: bytes) -> None:
        """Raises ConnectionFailedError, and the errors of `take`."""
        if self._rest:
            data = self._rest + data
        if self._preface:
            if len(data) < len(self._preface) and self._preface.startswith(data):
                self._rest = data
                return
            if not data.startswith(self._preface):
                raise ConnectionFailedError(Code.PROTOCOL_ERROR, "this is not HTTP/2")
            data = data[len(self._preface) :]
            self._preface = b""
        place, end, left = 0, len(data), FEW_FRAMES
        while end - place >= frames.HEAD_BYTES and left:
            length = int.from_bytes(data[place : place + 3])
            if length > FRAME_BYTES:
                raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "a frame that is too large")
            after = place + frames.HEAD_BYTES + length
            if after > end:
                break
            number = int.from_bytes(data[place + 5 : place + 9]) & 0x7FFFFFFF
            self._take(data[place + 3], data[place + 4], number, data[place + 9 : after])
            place = after
            left -= 1
        self._rest = data[place:]
        self.more = not left


class HeaderBlocks:
    """Joins header blocks that come in several frames."""

    __slots__ = ("_begun", "_parts")

    def __init__(self) -> None:
        # The stream and the flags of the HEADERS frame.
        self._begun: tuple[int, int] | None = None
        self._parts: list[bytes] = []

    @property
    def unfinished(self) -> bool:
        return self._begun is not None

    def begin(self, flags: int, number: int, payload: bytes) -> tuple[bytes, bool] | None:
        """Takes a HEADERS frame. Returns the block and whether it ends the stream; None while frames are missing.

        Raises ConnectionFailedError.
        """
        if not number & 1:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "HEADERS on a stream id that is not a client's")
        if flags & frames.PADDED:
            payload = unpadded(payload)
        if flags & frames.WITH_PRIORITY:
            if len(payload) < _PRIORITY_BYTES:
                raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "HEADERS without their priority")
            payload = payload[_PRIORITY_BYTES:]
        if flags & frames.END_HEADERS:
            return payload, bool(flags & frames.END_STREAM)
        self._begun = number, flags
        self._parts = [payload]
        return None

    def go_on(self, flags: int, number: int, payload: bytes) -> tuple[bytes, bool] | None:
        """Takes a CONTINUATION frame. Returns and raises like `begin`."""
        if self._begun is None or self._begun[0] != number:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "CONTINUATION without HEADERS")
        self._parts.append(payload)
        if len(self._parts) > _MOST_BLOCKS or sum(map(len, self._parts)) > HEADERS_BYTES:
            raise ConnectionFailedError(Code.ENHANCE_YOUR_CALM, "headers that are too large")
        if not flags & frames.END_HEADERS:
            return None
        begun, self._begun = self._begun[1], None
        block, self._parts = b"".join(self._parts), []
        return block, bool(begun & frames.END_STREAM)


def unpadded(payload: bytes) -> bytes:
    """Returns the payload without its padding. Raises ConnectionFailedError."""
    if not payload or payload[0] >= len(payload):
        raise ConnectionFailedError(Code.PROTOCOL_ERROR, "padding longer than its frame")
    return payload[1 : len(payload) - payload[0]]
