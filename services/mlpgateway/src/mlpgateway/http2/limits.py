"""Limits of the server, of one address and of one connection."""

from dataclasses import dataclass
from typing import Final

FRAME_BYTES: Final = 16_384
"""The largest frame accepted: the smallest maximum that HTTP/2 allows (RFC 9113, 6.5.2)."""
WINDOW_BYTES: Final = 65_535
"""The initial window of a connection and of each stream (RFC 9113, 6.9.2)."""
OPEN_WINDOW_BYTES: Final = 262_144
"""The window of a stream after its first message, so that a long round trip does not slow its sender."""
PROVEN_WINDOW_BYTES: Final = 1024 * 1024
"""The window of a proven connection, for all its streams together."""
BEGINNING_BYTES: Final = 4_096
"""The part of a message from which its sender can be identified: account, model and key come first."""
UNPROVEN_BYTES: Final = 16_384
"""The largest message that is read from anybody.

Of a larger one only the beginning is read until the sender is known.
"""
HEADERS_BYTES: Final = 16_384
"""The most bytes in one call's headers, both encoded and decoded (with 32 more for each header, RFC 9113)."""


@dataclass(frozen=True, slots=True)
class Http2Limits:
    """`message` is the largest message in bytes.

    A connection is unproven until one of its calls comes from a caller whom the platform knows. There may be `unproven`
    such connections in all and `unproven_of_address` from one address; a new one above that closes the oldest. On each,
    `pending` streams may wait for their first message, for `first_message_seconds`; together these messages may have
    `pending_bytes` over all connections.

    A connection may have `streams` open. A large message waits up to `room_seconds` for room. It then has to come at
    `least_rate` bytes a second, plus `slack_seconds` in all. Answers have to be read at `least_read_rate`, the largest
    within ten minutes, plus `unread_seconds` in all.
    """

    message: int
    connections: int = 20_000
    unproven: int = 1_024
    unproven_of_address: int = 256
    unproven_seconds: float = 60.0
    settings_seconds: float = 10.0
    streams: int = 1_024
    pending: int = 100
    pending_bytes: int = 16 * 1024 * 1024
    first_message_seconds: float = 10.0
    least_rate: int = 64 * 1024
    slack_seconds: float = 15.0
    room_seconds: float = 10.0
    unread_seconds: float = 60.0
    least_read_rate: int = 1_024
    frame_budget: float = 1_000.0
    """Control frames, resets and empty frames that a connection may send at once."""
    frames_per_second: float = 100.0
    ping_seconds: float = 75.0
    ping_timeout_seconds: float = 20.0
