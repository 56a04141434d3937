"""How much of an HTTP server one connection, one address and all connections together may take."""

from dataclasses import dataclass
from typing import Final

from pydantic import Field

from mlplace_kit.settings import Settings

MOST_LINE_BYTES: Final = 16 * 1024
"""Of the address in the first line of a request."""
MOST_HEADER_BYTES: Final = 16 * 1024
MOST_HEADERS: Final = 128
MOST_PIPELINED: Final = 64
"""Requests of one connection that wait for the answers to those before them."""
MOST_FRAMING_BYTES: Final = 64 * 1024
FRAMING_FACTOR: Final = 16
"""Sizes, extensions and trailers of chunks may be so many times what the chunks hold, and the bytes above."""
MOST_FRAGMENTS: Final = 4_096
"""Frames of one WebSocket message."""
MOST_PINGS: Final = 200
"""Of one WebSocket between two looks."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """`grace_seconds` is how far a body, or who reads an answer, may fall behind `bytes_per_second`.

    `look_seconds` is how often times are compared: they hold to within it.
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
        """Connections at the end that are for health and for who has proved who it is."""
        return max(1, self.connections // 20)


class HttpEnvironment(Settings):
    """Environment variables `MLP_HTTP_*`: what the HTTP server of a process accepts."""

    http_connections: int = Field(default=10_000, ge=16)
    """Connections at once; never more than half of the files that the process may open. The last twentieth is for
    health and for callers that have proved who they are; the oldest connections without a request make room."""
    http_connections_per_address: int = Field(default=1_000, ge=1)
    """Connections at once of one address, of IPv6 one /64 network. Trusted proxies may have any number."""
    http_head_bytes: int = Field(default=64 * 1024, ge=1_024, le=1024 * 1024)
    """First line and headers of a request; one header, or the address, may have 16 KiB; there may be 128 headers."""
    http_head_seconds: float = Field(default=10.0, gt=0)
    """From the first byte of a request, or the begin of a connection, to the end of the headers."""
    http_body_seconds: float = Field(default=900.0, gt=0)
    """For a whole body; the time in which the platform itself does not read does not count."""
    http_bytes_per_second: int = Field(default=1_024, ge=1)
    """Whoever sends a body or reads an answer more slowly than that, and is 15 s behind, is cut off."""

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
