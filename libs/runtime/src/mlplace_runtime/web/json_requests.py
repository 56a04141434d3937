"""Reads the JSON of a request as all services read it: UTF-8, with or without a byte order mark, and strictly JSON.

The parser that FastAPI uses otherwise takes UTF-16, NaN and half surrogate pairs, which no database stores.
"""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from mlplace_kit.errors import MalformedRequest
from mlplace_kit.json_text import BYTE_ORDER_MARK, NOT_JSON, why_not_json

_MOST_READ_AGAIN: Final = 16 * 1024
"""Bytes. This parser builds the values, 0.1 us a byte, and nobody has asked yet who the caller is."""


def _why_not_json(body: bytes) -> str:
    return why_not_json(body, _is_json) if len(body) <= _MOST_READ_AGAIN else NOT_JSON


def _is_json(text: bytes) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


class JsonRequest(Request):
    async def json(self) -> Any:
        """Returns the value of the body. Raises MalformedRequest."""
        if not hasattr(self, "_json"):
            body = (await self.body()).removeprefix(BYTE_ORDER_MARK)
            try:
                self._json = orjson.loads(body)
            except orjson.JSONDecodeError:
                raise MalformedRequest(reason=_why_not_json(body)) from None
        return self._json


class JsonRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()

        async def handled(request: Request) -> Response:
            return await handler(JsonRequest(request.scope, request.receive))

        return handled


def read_strictly(routes: Iterable[BaseRoute]) -> None:
    """Makes the routes read JSON so. Call it before a router is included: its routes' class decides."""
    for route in routes:
        if type(route) is APIRoute:
            route.__class__ = JsonRoute
