"""Reads requests as all services read them.

JSON is UTF-8, with or without a byte order mark, and strictly JSON: the parser that FastAPI uses otherwise takes
UTF-16, NaN and half surrogate pairs, which no database stores. What a header asks for is not ignored.
"""

from collections.abc import Callable, Coroutine, Iterable
from typing import Any, Final

import orjson
from fastapi import Request, Response
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute

from mlplace_kit.errors import MalformedRequest
from mlplace_kit.json_text import BYTE_ORDER_MARK, NOT_JSON, why_not_json
from mlplace_runtime.web.unserved_headers import IDEMPOTENCY_KEY, expect_served

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS"})
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


def json_text_of(body: bytes) -> bytes:
    """Returns the text of a body that a route parses itself, without a byte order mark. Raises MalformedRequest."""
    value_of(body)
    return body.removeprefix(BYTE_ORDER_MARK)


def value_of(body: bytes) -> object:
    """Returns the value of a body. Raises MalformedRequest."""
    text = body.removeprefix(BYTE_ORDER_MARK)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        raise MalformedRequest(reason=_why_not_json(text)) from None


class JsonRequest(Request):
    async def json(self) -> Any:
        """Returns the value of the body. Raises MalformedRequest."""
        if not hasattr(self, "_json"):
            self._json = value_of(await self.body())
        return self._json


class StrictRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handler = super().get_route_handler()
        serves_key = any(field.alias == IDEMPOTENCY_KEY for field in self.dependant.header_params)

        async def handled(request: Request) -> Response:
            if request.method not in _SAFE:
                expect_served(request.headers, serves_key=serves_key)
            return await handler(JsonRequest(request.scope, request.receive))

        return handled


def read_strictly(routes: Iterable[BaseRoute]) -> None:
    """Makes the routes read requests so. Call it before a router is included: its routes' class decides."""
    for route in routes:
        if type(route) is APIRoute:
            route.__class__ = StrictRoute
