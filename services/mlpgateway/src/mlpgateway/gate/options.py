"""How one gate runs. Settings of the service become this; tests make their own."""

from dataclasses import dataclass
from pathlib import Path

from mlplace_gateproto.limits import DEFAULT_HEARTBEAT_INTERVAL_MS


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class GateOptions:
    """`listen` is `host:port`, port 0 for any free one. `advertised` is the address that instances can reach.

    Without `advertised` it is the address listened on. `trusted_hops` counts the proxies in front of the gate that
    append to `x-forwarded-for`; with 0 the header is ignored.
    """

    listen: str = "127.0.0.1:0"
    advertised: str | None = None
    tls: TlsFiles | None = None
    trusted_hops: int = 0
    heartbeat_interval_ms: int = DEFAULT_HEARTBEAT_INTERVAL_MS
    handshake_seconds: float = 10.0
    drain_seconds: float = 20.0
    # What an instance has to answer stopServing, before its stream is closed.
    farewell_seconds: float = 2.0
    # What other gates have to notice that this one leaves, and to tell their instances.
    handover_seconds: float = 1.5
