"""Frames of WebSocket clients that misbehave, and a server of the platform for any app."""

import struct
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Final

from starlette.types import ASGIApp

from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.server import HttpServer

TEXT: Final = 1
BINARY: Final = 2
CLOSE: Final = 8
PING: Final = 9
PONG: Final = 10


def frame(opcode: int, payload: bytes = b"", *, fin: bool = True, masked: bool = True, reserved: int = 0) -> bytes:
    head = bytes([(0x80 if fin else 0) | reserved << 4 | opcode])
    mask = 0x80 if masked else 0
    size = len(payload)
    if size < 126:
        head += bytes([mask | size])
    elif size < 2**16:
        head += bytes([mask | 126]) + struct.pack("!H", size)
    else:
        head += bytes([mask | 127]) + struct.pack("!Q", size)
    return head + (bytes(4) if masked else b"") + payload  # a mask of zeros leaves the payload as it is


@asynccontextmanager
async def serving(app: ASGIApp) -> AsyncGenerator[int]:
    """Serves the app on a free port of this machine. Yields the port."""
    listener = listen("127.0.0.1", 0)
    server = HttpServer(app, listener)
    await server.start()
    try:
        yield listener.getsockname()[1]
    finally:
        await server.stop()
