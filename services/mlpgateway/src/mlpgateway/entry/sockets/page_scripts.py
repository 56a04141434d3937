"""CORS for scripts of a model's page, which call the model: each sandboxed page has an origin of its own.

Only the pass in the path identifies the caller; cookies do not count here. So allowing scripts to send credentials
gives them nothing, and some scripts insist on it (Gradio's). Browsers then do not accept `*` as the allowed origin.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from starlette.types import Scope

from mlpgateway.entry.cors import Headers, header, make_readable, readable_by
from mlpgateway.instances.http.headers import SANDBOX
from mlplace_kit.errors import DomainError

_SANDBOXED: Final = readable_by(b"null", credentials=True)
_ANYBODY: Final = readable_by(b"*")
_PAGE: Final = (*SANDBOX, (b"referrer-policy", b"no-referrer"))


def page_headers(scope: Scope) -> Headers:
    """Returns the headers of each answer under a page's path."""
    return (*_PAGE, *_readable(scope))


@contextmanager
def readable_errors(scope: Scope) -> Generator[None]:
    """Lets the page's scripts read errors."""
    try:
        yield
    except DomainError as error:
        make_readable(error, _readable(scope))
        raise


def _readable(scope: Scope) -> Headers:
    return _SANDBOXED if header(scope, b"origin") == b"null" else _ANYBODY
