"""CORS: the headers with which a browser lets scripts of other origins send a request, and read its answer.

All such headers are made here. Who gets them is decided by `page_scripts` for scripts of a model's page, and by
`cross_origin` for pages of other sites that call with a key.
"""

import re
from collections.abc import Sequence
from typing import Final

from starlette.types import Scope, Send

from mlplace_kit.errors import DomainError

Headers = tuple[tuple[bytes, bytes], ...]
METHODS: Final = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_NAMES: Final = re.compile(rb"[A-Za-z0-9\-_, ]{1,4000}")
_SECONDS: Final = b"600"


def readable_by(origin: bytes, *, credentials: bool = False, exposed: bytes | None = None) -> Headers:
    """Returns the headers of an answer that scripts of the origin may read; `*`: scripts of any origin.

    `exposed`: the names of headers that they may read, too. `credentials`: the scripts may have sent cookies.
    """
    headers = [(b"access-control-allow-origin", origin), (b"vary", b"Origin")]
    if credentials:
        headers.append((b"access-control-allow-credentials", b"true"))
    if exposed is not None:
        headers.append((b"access-control-expose-headers", exposed))
    return tuple(headers)


def header(scope: Scope, name: bytes) -> bytes | None:
    return next((value for given, value in scope["headers"] if given == name), None)


def is_preflight(scope: Scope) -> bool:
    """Returns whether this is a preflight request of CORS."""
    return scope["method"] == "OPTIONS" and header(scope, b"access-control-request-method") is not None


async def answer_preflight(scope: Scope, send: Send, answer: Sequence[tuple[bytes, bytes]]) -> None:
    """Answers a preflight request: any method, and the headers that it names if they are names."""
    headers = [*answer, (b"access-control-max-age", _SECONDS)]
    headers.append((b"access-control-allow-methods", ", ".join(METHODS).encode()))
    asked = header(scope, b"access-control-request-headers") or b""
    if _NAMES.fullmatch(asked):
        headers.append((b"access-control-allow-headers", asked))
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


def make_readable(error: DomainError, headers: Headers) -> None:
    """Adds CORS headers to an error: without them, browsers hide the answer from scripts."""
    said = {name.decode("latin-1").title(): value.decode("latin-1") for name, value in headers}
    error.answer_headers = {**error.answer_headers, **said}
