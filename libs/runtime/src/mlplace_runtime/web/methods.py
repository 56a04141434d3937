"""HEAD for every address that has GET, and which methods an address has (RFC 9110, sections 9.3.2 and 10.2.1)."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Final

from starlette.routing import BaseRoute, Match, Mount
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_METHODS: Final = ("DELETE", "GET", "HEAD", "PATCH", "POST", "PUT")
_OF_FILES: Final = ("GET", "HEAD")


def allowed_methods(routes: Sequence[BaseRoute], scope: Scope) -> Sequence[str]:
    """Returns the methods of the address of a request that none of `routes` answered, or a folder of files refused."""
    asked = dict(scope)
    if "app_root_path" in scope:  # a mounted app has changed it
        asked["root_path"] = scope["app_root_path"]
    found = {method for method in _METHODS if _is_answered(_single(routes), {**asked, "method": method})}
    if "GET" in found:
        found.add("HEAD")
    if not found and _is_answered((route for route in routes if isinstance(route, Mount)), asked):
        return _OF_FILES
    return sorted(found)


def _single(routes: Iterable[BaseRoute]) -> Iterable[BaseRoute]:
    return (route for route in routes if not isinstance(route, Mount))


def _is_answered(routes: Iterable[BaseRoute], scope: Scope) -> bool:
    return any(route.matches(scope)[0] is Match.FULL for route in routes)


class HeadAsGet:
    """ASGI middleware inside the app: runs GET for HEAD where no route has HEAD, and ends the answer after its head.

    A response that is a stream hears then that its caller has disconnected, and ends, too.
    """

    def __init__(self, app: ASGIApp, *, routes: Iterable[BaseRoute]) -> None:
        self._app = app
        self._routes = routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "HEAD" or _is_answered(self._routes, scope):
            await self._app(scope, receive, send)
            return
        told = asyncio.Event()
        has_body = True

        async def send_head(message: Message) -> None:
            if message["type"] == "http.response.start":
                scope["method"] = "HEAD"  # the server leaves out the body of this method only
                await send(message)
                await send({"type": "http.response.body", "body": b""})
                told.set()

        async def hear() -> Message:
            nonlocal has_body
            if has_body:
                message = await receive()
                has_body = message.get("more_body", False)
                return message
            answered, left = asyncio.ensure_future(told.wait()), asyncio.ensure_future(receive())
            try:
                await asyncio.wait((answered, left), return_when=asyncio.FIRST_COMPLETED)
            finally:
                answered.cancel()
                left.cancel()
                await asyncio.gather(answered, left, return_exceptions=True)
            return {"type": "http.disconnect"}

        scope["method"] = "GET"  # in place: what the app notes in the scope is read outside
        try:
            await self._app(scope, hear, send_head)
        finally:
            scope["method"] = "HEAD"
