"""A request and its head. What could be read as two requests, or as another one, is refused."""

import re
from collections.abc import AsyncGenerator, Sequence
from functools import lru_cache
from typing import Final, Protocol

import msgspec

from mlpgateway.instances.http.client.errors import InvalidRequestError

# RFC 9110, sections 5.1 and 5.5, and RFC 3986 without the fragment.
_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
_FORBIDDEN_IN_VALUE: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_METHOD: Final = re.compile(r"[A-Z]{1,16}")
_TARGET: Final = re.compile(r"/[\x21\x22\x24-\x7e]*")
_AUTHORITY: Final = re.compile(r"(?:[A-Za-z0-9._~-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])(?::[0-9]{1,5})?")
_SET_BY_CLIENT: Final = frozenset(
    {"connection", "content-length", "expect", "host", "http2-settings", "keep-alive", "proxy-authenticate",
     "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}
)  # fmt: skip
_WITHOUT_BODY: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
_LONGEST_REMEMBERED: Final = 64


class StreamedBody(Protocol):
    """A body that is sent in pieces. `length` is its size in bytes; None: unknown, it is sent in chunks."""

    @property
    def length(self) -> int | None: ...

    def pieces(self) -> AsyncGenerator[bytes | memoryview]:
        """Is called at most once, when the head has been sent. An error of it ends the exchange, unchanged."""
        ...


class OutgoingRequest(msgspec.Struct, frozen=True):
    """`target` and `headers` are sent unchanged. The client adds Host and the body's length itself.

    `repeatable`: the request may be sent twice. `body` None: no body.
    """

    method: str
    target: str
    headers: Sequence[tuple[str, str]] = ()
    body: bytes | StreamedBody | None = None
    repeatable: bool = False


def head_of(request: OutgoingRequest, authority: str) -> bytes:
    """Returns the head with its empty line. Raises InvalidRequestError."""
    method, body = request.method, request.body
    if not (_METHOD.fullmatch(method) and _TARGET.fullmatch(request.target) and _AUTHORITY.fullmatch(authority)):
        raise InvalidRequestError("the method, target or host is not valid")
    lines = [f"{method} {request.target} HTTP/1.1\r\nHost: {authority}\r\n"]
    for name, value in request.headers:
        if not (_is_sendable(name) if len(name) <= _LONGEST_REMEMBERED else _is_sendable.__wrapped__(name)):
            raise InvalidRequestError(f"the header {name[:_LONGEST_REMEMBERED]!r} is not sent to instances")
        if not value.isprintable() and _FORBIDDEN_IN_VALUE.search(value):
            raise InvalidRequestError(f"the value of {name[:_LONGEST_REMEMBERED]} is not valid")
        lines.append(f"{name}: {value}\r\n")
    length = len(body) if isinstance(body, bytes) else 0 if body is None else body.length
    if length is None:
        lines.append("Transfer-Encoding: chunked\r\n")
    elif body is not None or method not in _WITHOUT_BODY:
        lines.append(f"Content-Length: {length}\r\n")
    lines.append("\r\n")
    return _encoded("".join(lines), lines)


@lru_cache(maxsize=1024)
def _is_sendable(name: str) -> bool:
    return _NAME.fullmatch(name) is not None and name.lower() not in _SET_BY_CLIENT


def _encoded(head: str, lines: Sequence[str]) -> bytes:
    """Encodes latin-1, the form in which servers hand over bytes of headers, and UTF-8 where a value is beyond it."""
    try:
        return head.encode("latin-1")
    except UnicodeEncodeError:
        pass
    try:
        return b"".join(line.encode("latin-1" if max(line) <= "\xff" else "utf-8") for line in lines)
    except UnicodeEncodeError:
        raise InvalidRequestError("a header is not valid text") from None
