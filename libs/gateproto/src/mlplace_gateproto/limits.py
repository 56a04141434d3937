"""Sizes and times on which both ends of the wire agree."""

from typing import Final

# Services send and accept up to this many bytes in one message; the gate must do so, too.
MAX_MESSAGE_BYTES: Final = 100 * 1024 * 1024
# Limits of one bundle: its number of messages, and the bytes of one message. A larger message is sent alone, so that no
# bundle is too large.
MAX_BUNDLED: Final = 256
MAX_BUNDLED_BYTES: Final = 64 * 1024
# Clients in use ping an idle connection at this interval; a server with default settings would answer too_many_pings.
CLIENT_KEEPALIVE_MS: Final = 120_000
HEARTBEAT_OK: Final = "Ok"
DEFAULT_HEARTBEAT_INTERVAL_MS: Final = 5_000


def silence_limit_ms(interval_ms: int) -> int:
    """Returns the silence, in milliseconds, after which either end takes the stream for dead, given a heartbeat
    interval.
    """
    return 3 * interval_ms + 1_000
