"""Limits of connections to instances, and of the framing of their answers."""

from dataclasses import dataclass
from typing import Final

MOST_HEAD_BYTES: Final = 64 * 1024
"""Status line and headers of an answer, together with the interim answers (1xx) before it."""
MOST_HEADER_BYTES: Final = 16 * 1024
MOST_HEADERS: Final = 128
MOST_INTERIM: Final = 16
MOST_FRAMING_BYTES: Final = 64 * 1024
FRAMING_FACTOR: Final = 16
"""Chunk sizes, extensions and trailers may take this many times the body's bytes, plus the bytes above."""
MOST_TRAILER_BYTES: Final = 16 * 1024
"""Framing without a byte of the body in between."""
FEW_BYTES: Final = 16 * 1024
FEW_CHUNKS: Final = 64
"""A body in chunks is read by so many bytes at once. If they held more chunks, the rest waits for a later turn."""
MOST_UNREAD_BYTES: Final = 128 * 1024
"""Reading stops while this much of an answer waits for its reader, and goes on at half of it."""
CONNECT_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True)
class PoolLimits:
    """Limits of the connections to one instance.

    `idle_seconds` is shorter than servers keep idle connections (uvicorn: 5 s), so that no request meets a connection
    that is just being closed.
    """

    connections: int = 2048
    idle_seconds: float = 4.0
