"""The address and the scheme of a caller behind proxies, as these say in X-Forwarded-For and X-Forwarded-Proto."""

from typing import Any, Final, cast

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.middleware.proxy_headers import ProxyHeadersMiddleware

from mlplace_kit.networks import is_address

_PEER: Final = "mlplace.peer"


def behind_proxies(app: ASGIApp, trusted: str) -> ASGIApp:
    """Returns an app that believes these headers from the trusted peers alone; empty: from nobody.

    `trusted`: comma-separated addresses and networks; `*` trusts all. The caller is the last address that no trusted
    proxy has; a value that is no address leaves the peer the caller. `Forwarded` is not read.
    """
    return _BehindProxies(app, trusted) if trusted.strip() else app


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
