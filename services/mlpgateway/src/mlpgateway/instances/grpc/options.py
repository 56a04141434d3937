"""How one gate runs. Settings of the service become this; tests make their own."""

from dataclasses import dataclass, field
from pathlib import Path

from mlpgateway.call.origins import Origins
from mlpgateway.http2.limits import Limits
from mlpgateway.instances.grpc.connects import ConnectBounds
from mlplace_gateproto.limits import DEFAULT_HEARTBEAT_INTERVAL_MS, MAX_MESSAGE_BYTES


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class GateOptions:
    """`listen` is `host:port`, port 0 for any free one. `advertised` is the address that instances can reach.

    Without `advertised` it is the address listened on. `internal` is the address that other gates can reach, by default
    the one listened on; it speaks no TLS, so with `tls` it needs a port of its own, `internal_listen`.

    A gate that goes away serves as ever for `settle_seconds`, in which proxies and balancers forget older failures of
    others; then refuses new connections; and after another `connection_seconds`, in which proxies in front close those
    that they keep, sends the rest away. It is gone within `drain_seconds` of all.
    """

    listen: str = "127.0.0.1:0"
    advertised: str | None = None
    tls: TlsFiles | None = None
    internal: str | None = None
    internal_listen: str | None = None
    origins: Origins = field(default_factory=Origins)
    connects: ConnectBounds = field(default_factory=ConnectBounds)
    limits: Limits = field(default_factory=lambda: Limits(MAX_MESSAGE_BYTES))
    heartbeat_interval_ms: int = DEFAULT_HEARTBEAT_INTERVAL_MS
    handshake_seconds: float = 10.0
    settle_seconds: float = 0.0
    connection_seconds: float = 0.0
    drain_seconds: float = 20.0
    # What of it instances may take to find their way to other gates, when there are others that stay.
    cover_seconds: float = 5.0
    # What an instance has to answer stopServing, before its stream is closed.
    farewell_seconds: float = 2.0
    # What other gates have to notice that this one leaves, and to tell their instances.
    handover_seconds: float = 1.5
