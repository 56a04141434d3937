"""Frames of HTTP/2 (RFC 9113) and messages of gRPC, as bytes."""

import struct
from enum import IntEnum
from typing import Final

PREFACE: Final = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
HEAD_BYTES: Final = 9
PREFIX_BYTES: Final = 5
"""The length of a message's prefix: a compression flag and the message's length."""

DATA: Final = 0x0
HEADERS: Final = 0x1
PRIORITY: Final = 0x2
RST_STREAM: Final = 0x3
SETTINGS: Final = 0x4
PUSH_PROMISE: Final = 0x5
PING: Final = 0x6
GOAWAY: Final = 0x7
WINDOW_UPDATE: Final = 0x8
CONTINUATION: Final = 0x9

END_STREAM: Final = 0x1
ACK: Final = 0x1
END_HEADERS: Final = 0x4
PADDED: Final = 0x8
WITH_PRIORITY: Final = 0x20

MAX_WINDOW: Final = 2**31 - 1
FRAME_SIZES: Final = range(2**14, 2**24)
"""The sizes that a peer may allow for the frames it gets (RFC 9113, 6.5.2)."""

SETTING_PUSH: Final = 0x2
SETTING_MAX_STREAMS: Final = 0x3
SETTING_WINDOW: Final = 0x4
SETTING_MAX_FRAME: Final = 0x5
SETTING_MAX_HEADERS: Final = 0x6

_HEAD: Final = struct.Struct(">HBBBL")
_MESSAGE_HEAD: Final = struct.Struct(">HBBBLBL")
_SETTING: Final = struct.Struct(">HL")


class Code(IntEnum):
    """Error codes of streams and connections (RFC 9113, section 7)."""

    NO_ERROR = 0x0
    PROTOCOL_ERROR = 0x1
    INTERNAL_ERROR = 0x2
    FLOW_CONTROL_ERROR = 0x3
    SETTINGS_TIMEOUT = 0x4
    STREAM_CLOSED = 0x5
    FRAME_SIZE_ERROR = 0x6
    REFUSED_STREAM = 0x7
    CANCEL = 0x8
    COMPRESSION_ERROR = 0x9
    ENHANCE_YOUR_CALM = 0xB


class ConnectionFailedError(Exception):
    """The peer broke the protocol or demanded too much: the connection ends."""

    def __init__(self, code: Code, reason: str) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason


def head(kind: int, flags: int, stream: int, length: int) -> bytes:
    return _HEAD.pack(length >> 8, length & 0xFF, kind, flags, stream)


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return head(kind, flags, stream, len(payload)) + payload


def message_head(stream: int, size: int) -> bytes:
    """Returns the beginning of the only DATA frame of a message of this size."""
    length = size + PREFIX_BYTES
    return _MESSAGE_HEAD.pack(length >> 8, length & 0xFF, DATA, 0, stream, 0, size)


def prefix(size: int) -> bytes:
    return size.to_bytes(PREFIX_BYTES)


def settings(values: dict[int, int]) -> bytes:
    return frame(SETTINGS, 0, 0, b"".join(_SETTING.pack(name, value) for name, value in values.items()))


def settings_of(payload: bytes) -> list[tuple[int, int]]:
    """Returns the settings as pairs of identifier and value. Raises ConnectionFailedError."""
    if len(payload) % _SETTING.size:
        raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "a SETTINGS frame of a wrong length")
    values = list(_SETTING.iter_unpack(payload))
    for name, value in values:
        if (name == SETTING_PUSH and value > 1) or (name == SETTING_MAX_FRAME and value not in FRAME_SIZES):
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "a setting that has no such value")
    return values


def window_update(stream: int, count: int) -> bytes:
    return frame(WINDOW_UPDATE, 0, stream, count.to_bytes(4))


def reset(stream: int, code: Code) -> bytes:
    return frame(RST_STREAM, 0, stream, code.to_bytes(4))


def goaway(last: int, code: Code, reason: str = "") -> bytes:
    return frame(GOAWAY, 0, 0, last.to_bytes(4) + code.to_bytes(4) + reason.encode())
