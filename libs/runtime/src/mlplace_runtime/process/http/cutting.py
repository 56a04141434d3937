"""Cuts responses whose application fails in their middle for a reason that is no defect of the platform."""

from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import RequestResponseCycle

from mlplace_kit.errors import DomainError


class CutByErrors:
    """An ASGI app for one request. Closes the connection when a domain error comes after the response's start.

    Uvicorn does the same for every exception, and logs it as a defect with its traceback.
    """

    def __init__(self, app: ASGIApp, cycle: RequestResponseCycle) -> None:
        self._app = app
        self._cycle = cycle

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        cycle = self._cycle
        try:
            await self._app(scope, receive, send)
        except DomainError:
            if not cycle.response_started:
                raise
            cycle.transport.close()
            cycle.disconnected = True  # uvicorn reports an incomplete response otherwise
