"""gRPC channels to a gate, used by instances and by callers."""

import grpc
import grpc.aio

from mlplace.settings import Settings
from mlplace_gateproto.limits import CLIENT_KEEPALIVE_MS, MAX_MESSAGE_BYTES

_OPTIONS: tuple[tuple[str, int], ...] = (
    ("grpc.max_send_message_length", MAX_MESSAGE_BYTES),
    ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
    ("grpc.keepalive_time_ms", CLIENT_KEEPALIVE_MS),
    ("grpc.keepalive_timeout_ms", 30_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # Separate connections per channel: a shared one would pass the back-off of a dead address on to a new stream.
    ("grpc.use_local_subchannel_pool", 1),
)


def open_channel(address: str, settings: Settings) -> grpc.aio.Channel:
    """Opens a TLS channel unless MLP_GRPC_SECURE is false; GRPC_SSL_CA_FILE_PATH is the CA of a private gate."""
    if not settings.grpc_secure:
        return grpc.aio.insecure_channel(address, options=_OPTIONS)
    authority = settings.grpc_ca_file.read_bytes() if settings.grpc_ca_file else None
    return grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(authority), options=_OPTIONS)
