"""The control endpoints, behind all entries for calls."""

from typing import Final

from starlette.types import ASGIApp, Receive, Scope, Send

from mlpgateway.entry.call_options import options_of
from mlpgateway.entry.http.callers import headers_of

_ENTRY: Final = "control"
_READING: Final = "controlReads"
_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})


class ControlFront:
    """A raw ASGI app: passes requests to `control`. Refuses headers that only calls serve."""

    def __init__(self, control: ASGIApp) -> None:
        self._control = control

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Raises HeaderNotServed. RequestContext renders the error."""
        if scope["type"] == "http":
            options_of(scope, headers_of(scope), _READING if scope["method"] in _SAFE else _ENTRY)
        await self._control(scope, receive, send)
