"""Reads on behind the head of a request whose upgrade is declined (RFC 9110, section 7.8).

The parser takes all that follows such a head for another protocol, so the request would lose its body. Some clients
ask for HTTP/2 in this way with their first request, whatever it is. Another parser reads on: it gets a head of its own,
which frames the body like the caller's head and asks for no upgrade.
"""

from collections.abc import Sequence
from typing import Final, Protocol

import httptools

_FRAMING: Final = frozenset({b"content-length", b"transfer-encoding"})


class Callbacks(Protocol):
    """What a parser calls."""

    def on_message_begin(self) -> None: ...
    def on_url(self, url: bytes) -> None: ...
    def on_header(self, name: bytes, value: bytes) -> None: ...
    def on_headers_complete(self) -> None: ...
    def on_body(self, body: bytes) -> None: ...
    def on_message_complete(self) -> None: ...


def framing_of(headers: Sequence[tuple[bytes, bytes]], *, keep_alive: bool) -> bytes:
    """Returns the header lines that say where the request ends and whether another follows."""
    lines = b"".join(b"%b: %b\r\n" % header for header in headers if header[0] in _FRAMING)
    return lines if keep_alive else lines + b"connection: close\r\n"


def parser_within(callbacks: Callbacks, framing: bytes) -> httptools.HttpRequestParser:
    """Returns a parser that expects the body of a request with this framing, and further requests behind it.

    Without a body, the end of the request is called before this returns.
    """
    parser = httptools.HttpRequestParser(_BehindHead(callbacks))
    parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as uvicorn has it
    parser.feed_data(b"POST / HTTP/1.1\r\n" + framing + b"\r\n")
    return parser


class _BehindHead:
    """Passes on all calls but those for the first head."""

    __slots__ = ("_in_first_head", "_to")

    def __init__(self, to: Callbacks) -> None:
        self._to = to
        self._in_first_head = True

    def on_message_begin(self) -> None:
        if not self._in_first_head:
            self._to.on_message_begin()

    def on_url(self, url: bytes) -> None:
        if not self._in_first_head:
            self._to.on_url(url)

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_first_head:
            self._to.on_header(name, value)

    def on_headers_complete(self) -> None:
        if self._in_first_head:
            self._in_first_head = False
        else:
            self._to.on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._to.on_body(body)

    def on_message_complete(self) -> None:
        self._to.on_message_complete()
