"""An app whose scope has the caller's address and scheme, as trusted proxies say in X-Forwarded-For and -Proto."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from mlplace_runtime.process.http.direct import Headers
from mlplace_runtime.process.trusted_proxies import TrustedProxies

_FOR: Final = b"x-forwarded-for"
_PROTO: Final = b"x-forwarded-proto"
_SCHEMES: Final = {"http": {b"http": "http", b"https": "https"}, "websocket": {b"http": "ws", b"https": "wss"}}


class BehindProxies:
    def __init__(self, app: ASGIApp, proxies: TrustedProxies) -> None:
        self._app = app
        self._proxies = proxies

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in _SCHEMES:
            scope = await self._as_reported(scope)
        await self._app(scope, receive, send)

    async def _as_reported(self, scope: Scope) -> Scope:
        headers: Headers = scope["headers"]
        peer = peer_of(scope)
        lines = reported(headers)
        if lines and self._proxies.may_be_new(peer):
            await self._proxies.meet(peer)
        if not self._proxies.believes(peer):
            return scope
        schemes = _SCHEMES[scope["type"]]
        said = next((value for name, value in headers if name == _PROTO), b"").strip()
        caller = self._proxies.caller(peer, lines)
        client = scope["client"] if caller == peer else (caller, 0)
        return {**scope, "client": client, "scheme": schemes.get(said, scope["scheme"])}


def peer_of(scope: Scope) -> str:
    """Returns the address of the connection's other end; empty for one at a Unix socket, which has none."""
    client = scope.get("client")
    return str(client[0]) if client else ""


def reported(headers: Headers) -> list[str]:
    """Returns the X-Forwarded-For lines."""
    return [value.decode("latin-1") for name, value in headers if name == _FOR]
