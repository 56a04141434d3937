"""Options of one gate. The service derives them from its settings; tests set their own."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path

from mlpgateway.http2.limits import Http2Limits
from mlpgateway.instances.grpc.connects import ConnectBounds
from mlplace_gateproto.limits import DEFAULT_HEARTBEAT_INTERVAL_MS, MAX_MESSAGE_BYTES
from mlplace_runtime.process.trusted_proxies import TrustedProxies


@dataclass(frozen=True, slots=True)
class TlsFiles:
    """PEM files."""

    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class GateOptions:
    """`listen` is `host:port`, with port 0 for any free one. `advertised` is the address that instances can reach.

    The default of `advertised` is the address it listens on. `internal` is the address that other gates can reach, with
    the same default; it speaks no TLS, so with `tls` it needs a port of its own, `internal_listen`.

    On shutdown a gate first serves as usual for `settle_seconds`, so that proxies and load balancers can forget earlier
    failures of others. Then it refuses new connections. After another `connection_seconds`, in which proxies in front
    close their idle connections, it closes the rest. All of it takes at most `drain_seconds`.
    """

    listen: str = "127.0.0.1:0"
    advertised: str | None = None
    tls: TlsFiles | None = None
    internal: str | None = None
    internal_listen: str | None = None
    proxies: TrustedProxies = field(default_factory=TrustedProxies)
    connects: ConnectBounds = field(default_factory=ConnectBounds)
    limits: Http2Limits = field(default_factory=lambda: Http2Limits(MAX_MESSAGE_BYTES))
    heartbeat_interval_ms: int = DEFAULT_HEARTBEAT_INTERVAL_MS
    handshake_seconds: float = 10.0
    settle_seconds: float = 0.0
    connection_seconds: float = 0.0
    drain_seconds: float = 20.0
    # How much of that time instances get to connect to other gates, when others stay.
    cover_seconds: float = 5.0
    # How long an instance may take to answer stopServing before its stream is closed.
    farewell_seconds: float = 2.0
    # How both pauses of a shutdown are waited for.
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep
    # How long other gates get to notice that this one leaves, and to tell their instances.
    handover_seconds: float = 1.5
