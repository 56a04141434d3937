"""Limits of an HTTP server, per connection, per address and in total."""

from dataclasses import dataclass
from typing import Final

from pydantic import Field

from mlplace_kit.settings import Settings

MOST_LINE_BYTES: Final = 16 * 1024
"""Longest address in the first line of a request."""
MOST_HEADER_BYTES: Final = 16 * 1024
MOST_HEADERS: Final = 128
MOST_PIPELINED: Final = 64
"""Most requests of one connection that wait for earlier responses."""
MOST_FRAMING_BYTES: Final = 64 * 1024
FRAMING_FACTOR: Final = 16
"""Chunk sizes, extensions and trailers may take this many times the content's bytes, plus the bytes above."""
MOST_FRAGMENTS: Final = 4_096
"""Most frames of one WebSocket message."""
MOST_EARLY_BYTES: Final = 64 * 1024
"""Once this many bytes have come behind a WebSocket's handshake, nothing more is read until it is accepted."""
MOST_PINGS: Final = 200
"""Most pings of one WebSocket between two checks."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """`grace_seconds` is how far a body, or a reader of a response, may fall behind `bytes_per_second`.

    `look_seconds` is the interval of the checks, and so the precision of all time limits.
    """

    connections: int = 10_000
    connections_of_address: int = 1_000
    head_bytes: int = 64 * 1024
    head_seconds: float = 10.0
    body_seconds: float = 900.0
    bytes_per_second: int = 1_024
    idle_seconds: float = 65.0
    grace_seconds: float = 15.0
    linger_seconds: float = 2.0
    look_seconds: float = 1.0

    @property
    def reserve(self) -> int:
        """Connections at the top of the limit that are reserved for health checks and authenticated callers."""
        return max(1, self.connections // 20)


class HttpEnvironment(Settings):
    """Environment variables `MLP_HTTP_*`: what the HTTP server of a process accepts."""

    http_connections: int = Field(default=10_000, ge=16)
    """Connections at once, at most half of the files that the process may open.

    The last twentieth is reserved for health checks and authenticated callers; the oldest connections without a request
    are closed to make room.
    """
    http_connections_per_address: int = Field(default=1_000, ge=1)
    """Connections at once per address (per /64 network for IPv6). Trusted proxies may have any number."""
    http_head_bytes: int = Field(default=64 * 1024, ge=1_024, le=1024 * 1024)
    """Size of the first line and headers of a request.

    A header and the address have at most 16 KiB each; at most 128 headers.
    """
    http_head_seconds: float = Field(default=10.0, gt=0)
    """Time from the first byte of a request, or from the start of a connection, to the end of the headers."""
    http_body_seconds: float = Field(default=900.0, gt=0)
    """Time for a whole body; time in which the platform itself does not read does not count."""
    http_bytes_per_second: int = Field(default=1_024, ge=1)
    """Slowest rate of a body and of reading a response; a caller that is 15 s behind is disconnected."""

    @property
    def http_limits(self) -> HttpLimits:
        return HttpLimits(
            connections=self.http_connections,
            connections_of_address=self.http_connections_per_address,
            head_bytes=self.http_head_bytes,
            head_seconds=self.http_head_seconds,
            body_seconds=self.http_body_seconds,
            bytes_per_second=self.http_bytes_per_second,
        )
