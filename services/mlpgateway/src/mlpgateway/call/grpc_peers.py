"""Finds the address of a caller at the gate's own port."""

from collections.abc import Iterable
from urllib.parse import unquote

from mlplace_runtime.process.trusted_proxies import TrustedProxies

_FORWARDED = "x-forwarded-for"


def client_ip(peer: str, metadata: Iterable[tuple[str, str | bytes]] | None, proxies: TrustedProxies) -> str:
    """Returns the caller's address. `peer` is in gRPC's notation."""
    reported = [value for name, value in metadata or () if name == _FORWARDED and isinstance(value, str)]
    return proxies.caller(_host_of(peer), reported)


def _host_of(peer: str) -> str:
    """Returns the host of a peer in gRPC's notation: `ipv4:1.2.3.4:5`, `ipv6:%5B::1%5D:5` or `unix:path`."""
    kind, _, rest = unquote(peer).partition(":")
    if kind not in {"ipv4", "ipv6"}:
        return "127.0.0.1"
    return rest.rpartition(":")[0].strip("[]")
