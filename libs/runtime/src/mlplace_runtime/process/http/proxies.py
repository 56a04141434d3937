"""The address and the scheme of a caller behind proxies, as these say in X-Forwarded-For and X-Forwarded-Proto."""

from collections.abc import Callable, Iterator
from ipaddress import IPv4Network
from typing import Any, Final, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from mlplace_kit.networks import Network, is_address, networks_of_proxies
from mlplace_runtime.process.http.direct import Headers

_PEER: Final = "mlplace.peer"
_REPORTED: Final = b"x-forwarded-for"
_MAPPED_BITS: Final = 96
AddressOf = Callable[[str, Headers], str]
"""Returns the address of a caller, from that of the peer and from the headers of the request."""


def behind_proxies(app: ASGIApp, trusted: str) -> ASGIApp:
    """Returns an app that believes these headers from the trusted peers alone; empty: from nobody.

    `trusted`: comma-separated addresses and networks; `*` trusts all. The caller is the last address that no trusted
    proxy has; a value that is no address leaves the peer the caller. `Forwarded` is not read. Raises ValueError.
    """
    return _BehindProxies(app, _hosts(trusted)) if trusted.strip() else app


def address_behind(trusted: str) -> AddressOf:
    """Returns how to find the address that `behind_proxies` finds, for requests that no app gets. Raises ValueError."""
    if not trusted.strip():
        return _address_of_peer
    hosts = ProxyHeadersMiddleware(cast("Any", None), _hosts(trusted)).trusted_hosts

    def address(peer: str, headers: Headers) -> str:
        told = b", ".join(value for name, value in headers if name == _REPORTED) if peer in hosts else b""
        found = hosts.get_trusted_client_address(told.decode("latin-1"))[0] if told else ""
        return found if is_address(found) else peer

    return address


def _hosts(trusted: str) -> str:
    """Returns the list as uvicorn compares it. Raises ValueError."""
    networks = networks_of_proxies(trusted)
    return "*" if networks is None else ",".join(name for network in networks for name in _names_of(network))


def _names_of(network: Network) -> Iterator[str]:
    """A listener for both families reports a peer of IPv4 as an IPv6 address (RFC 4291, section 2.5.5.2)."""
    yield str(network)
    if isinstance(network, IPv4Network):
        yield f"::ffff:{network.network_address}/{_MAPPED_BITS + network.prefixlen}"


def _address_of_peer(peer: str, _headers: Headers) -> str:
    return peer


class _BehindProxies:
    def __init__(self, app: ASGIApp, trusted: str) -> None:
        self._app = app
        self._reader = ProxyHeadersMiddleware(cast("Any", self._checked), trusted)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        noted = {**scope, _PEER: scope.get("client")}
        await self._reader(cast("Any", noted), cast("Any", receive), cast("Any", send))

    async def _checked(self, scope: Scope, receive: Receive, send: Send) -> None:
        peer, client = scope.pop(_PEER), scope.get("client")
        if client is not None and client is not peer and not is_address(client[0]):
            scope["client"] = peer
        await self._app(scope, receive, send)
