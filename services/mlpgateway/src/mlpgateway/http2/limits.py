"""What one server, one address and one connection may take."""

from dataclasses import dataclass
from typing import Final

FRAME_BYTES: Final = 16_384
"""The largest frame that is received: the least that HTTP/2 allows (RFC 9113, 6.5.2)."""
WINDOW_BYTES: Final = 65_535
"""What a peer may send before it is told to go on, on a connection and on each stream (RFC 9113, 6.9.2)."""
OPEN_WINDOW_BYTES: Final = 262_144
"""The same on a stream whose first message was taken: it waits for no answer of ours on a long way."""
PROVEN_WINDOW_BYTES: Final = 1024 * 1024
"""The same on a connection of somebody whom the platform knows: that of all its streams together."""
BEGINNING_BYTES: Final = 4_096
"""So much of a message is enough to see who sends it: account, model and key come first."""
UNPROVEN_BYTES: Final = 16_384
"""A message up to this size is read from anybody; of a larger one only its beginning, until the sender is known."""
HEADERS_BYTES: Final = 16_384
"""The most that the headers of one call may take, as they are sent and decoded (with 32 bytes for each, RFC 9113)."""


@dataclass(frozen=True, slots=True)
class Limits:
    """`message` is the largest message in bytes.

    A connection is unproven until a call on it was found to be by somebody whom the platform knows. Of these there may
    be `unproven` in all and `unproven_of_address`; a newcomer beyond that closes the oldest one. On each, `pending`
    streams may wait for their first message, for `first_message_seconds`, and on all together `pending_bytes` of them.

    `streams` may be open on a connection at a time. A large message waits for room for `room_seconds`; then it has to
    come at `least_rate` bytes a second, with `slack_seconds` for all of it. What is sent has to be read at
    `least_read_rate`, the largest message within ten minutes, with `unread_seconds` for all of it.
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
    """Control frames, resets and empty frames in a row that a connection may send."""
    frames_per_second: float = 100.0
    ping_seconds: float = 75.0
    ping_timeout_seconds: float = 20.0
