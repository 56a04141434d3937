"""CORS headers for scripts of a model's page, which call the model: each sandboxed page has an origin of its own.

Only the pass in the path identifies the caller; cookies do not count here. So allowing scripts to send credentials
gives them nothing, and some scripts insist on it (Gradio's). Browsers then do not accept `*` as the allowed origin.
"""

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final

from starlette.types import Scope, Send

from mlpgateway.instances.http.headers import SANDBOX
from mlplace_kit.errors import DomainError

_SANDBOXED: Final = (
    (b"access-control-allow-origin", b"null"),
    (b"access-control-allow-credentials", b"true"),
    (b"vary", b"Origin"),
)
_ANYBODY: Final = ((b"access-control-allow-origin", b"*"),)
_PAGE: Final = (*SANDBOX, (b"referrer-policy", b"no-referrer"))
_NAMES: Final = re.compile(rb"[A-Za-z0-9\-_, ]{1,4000}")


def page_headers(scope: Scope) -> tuple[tuple[bytes, bytes], ...]:
    """Returns the headers of each answer under a page's path."""
    return (*_PAGE, *_readable(scope))


def asks_before(scope: Scope) -> bool:
    """Returns whether this is a browser's CORS preflight request."""
    return scope["method"] == "OPTIONS" and _header(scope, b"access-control-request-method") is not None


async def let_ask(scope: Scope, send: Send, methods: Sequence[str]) -> None:
    headers = [*page_headers(scope), (b"access-control-max-age", b"600")]
    headers.append((b"access-control-allow-methods", ", ".join(methods).encode()))
    asked = _header(scope, b"access-control-request-headers") or b""
    if _NAMES.fullmatch(asked):
        headers.append((b"access-control-allow-headers", asked))
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body", "body": b""})


@contextmanager
def readable_errors(scope: Scope) -> Generator[None]:
    """Adds CORS headers to errors: without them, browsers hide the answer from scripts."""
    try:
        yield
    except DomainError as error:
        said = {name.decode("latin-1").title(): value.decode("latin-1") for name, value in _readable(scope)}
        error.answer_headers = {**error.answer_headers, **said}
        raise


def _readable(scope: Scope) -> tuple[tuple[bytes, bytes], ...]:
    return _SANDBOXED if _header(scope, b"origin") == b"null" else _ANYBODY


def _header(scope: Scope, name: bytes) -> bytes | None:
    return next((value for given, value in scope["headers"] if given == name), None)
