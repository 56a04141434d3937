"""Sizes and times of the wire that both ends have to agree on."""

from typing import Final

# Services send and accept up to this much in one message; the gate must too.
MAX_MESSAGE_BYTES: Final = 100 * 1024 * 1024
# Of one bundle. What is larger than the second goes alone: a bundle of such would be a message that is too large.
MAX_BUNDLED: Final = 256
MAX_BUNDLED_BYTES: Final = 64 * 1024
# Clients in use ping an idle connection at this pace; a stock server would answer with too_many_pings.
CLIENT_KEEPALIVE_MS: Final = 120_000
HEARTBEAT_OK: Final = "Ok"
DEFAULT_HEARTBEAT_INTERVAL_MS: Final = 5_000


def silence_limit_ms(interval_ms: int) -> int:
    """Silence after which either end takes the stream for dead, for a heart-beat interval in milliseconds."""
    return 3 * interval_ms + 1_000
