"""Reads one answer from the bytes of a connection.

The head is cut off by its empty line before the parser sees it, so its size is bounded and it is parsed once, however
it is split. A body of known length, and one that ends with the connection, never pass the parser.
"""

from typing import Final

import httptools

from mlpgateway.instances.http.client.errors import InvalidAnswerError
from mlpgateway.instances.http.client.framing import Headers, framing_of
from mlpgateway.instances.http.client.handler import DROPPED, AnswerHandler
from mlpgateway.instances.http.client.limits import (
    FEW_BYTES,
    FEW_CHUNKS,
    FRAMING_FACTOR,
    MOST_FRAMING_BYTES,
    MOST_HEAD_BYTES,
    MOST_HEADER_BYTES,
    MOST_HEADERS,
    MOST_INTERIM,
    MOST_TRAILER_BYTES,
)

_END: Final = b"\r\n\r\n"
_VERSIONS: Final = (b"HTTP/1.1 ", b"HTTP/1.0 ")
_SWITCHING: Final = 101
_HIGHEST: Final = 599
_TAIL_BYTES: Final = len(_END) + 1


class _Fields:
    """What the parser calls: it collects headers, and then the chunks of a body."""

    __slots__ = ("chunks", "complete", "extra", "headers", "held", "in_body")

    def __init__(self) -> None:
        self.headers: list[tuple[bytes, bytes]] = []
        self.chunks: list[bytes] = []
        self.held = 0
        self.in_body = False
        self.complete = self.extra = False

    def on_message_begin(self) -> None:
        self.extra = self.complete  # another answer, which nobody asked for

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self.in_body:  # else it is a trailer, which nobody reads
            self.headers.append((name, value.rstrip(b" \t")))

    def on_body(self, data: bytes) -> None:
        if self.in_body and not self.complete:
            self.held += len(data)
            self.chunks.append(data)

    def on_message_complete(self) -> None:
        self.complete = True


class AnswerReader:
    """One answer. `bodiless`: it answers HEAD, so it has no body whatever its headers say.

    `complete`: the whole answer was read. `reusable`: the connection may then carry the next request. `tired`: what was
    just read had so many chunks that the rest should wait for a later turn of the event loop.
    """

    __slots__ = (
        "_bodiless", "_buffer", "_came", "_fields", "_interim", "_left", "_parser", "_quiet", "_skipped",
        "_tail", "began", "complete", "handler", "in_body", "reusable", "tired", "until_closed",
    )  # fmt: skip

    def __init__(self, handler: AnswerHandler, *, bodiless: bool) -> None:
        self.handler = handler
        self._bodiless = bodiless
        self._buffer: bytearray | None = None  # an incomplete head
        self._interim = self._skipped = 0
        self._left = 0  # bytes of a body of known length
        self._parser: httptools.HttpResponseParser | None = None  # of a body in chunks
        self._fields: _Fields | None = None
        self._came = self._quiet = 0
        self._tail = b""  # the last bytes of a body in chunks
        self.began = self.in_body = self.until_closed = self.complete = self.reusable = self.tired = False

    def feed(self, data: bytes) -> bytes:
        """Calls the handler, except for `end` and `failed`. Returns what is not read yet. Raises InvalidAnswerError."""
        self.began = True
        if not self.in_body:
            data = self._read_heads(data)
            if not data:
                return b""
        if self.complete:
            self.reusable = False  # bytes that nobody asked for
        elif self._parser is not None and self._fields is not None:
            self._read_chunks(self._parser, self._fields, data[:FEW_BYTES])
            return data[FEW_BYTES:]
        elif self.until_closed:
            self.handler.part(data)
        else:
            self._read_known(data)
        return b""

    def drop(self) -> None:
        """Calls the handler no more."""
        self.handler = DROPPED

    def _read_heads(self, data: bytes) -> bytes:
        """Returns the bytes behind the final head; b"" while it is incomplete."""
        while data:
            buffer, searched = self._buffer, 0
            if buffer is not None:
                searched = max(0, len(buffer) - len(_END) + 1)
                buffer += data
            end = (data if buffer is None else buffer).find(_END, searched)
            size = len(data if buffer is None else buffer) if end < 0 else end
            if self._skipped + size > MOST_HEAD_BYTES:
                raise InvalidAnswerError("its headers are too large")
            if end < 0:
                self._buffer = bytearray(data) if buffer is None else buffer
                return b""
            end += len(_END)
            if buffer is None:
                head, data = data[:end], data[end:]
            else:
                head, data = bytes(buffer[:end]), bytes(buffer[end:])
                self._buffer = None
            if self._read_head(head):
                return data
            self._skipped += end
        return b""

    def _read_head(self, head: bytes) -> bool:
        """Returns False for an interim answer (1xx)."""
        if not head.startswith(_VERSIONS):
            raise InvalidAnswerError("it is not HTTP/1.1")
        fields = _Fields()
        parser = httptools.HttpResponseParser(fields)
        try:
            parser.feed_data(head)
        except httptools.HttpParserUpgrade:
            raise InvalidAnswerError("it switches the protocol") from None
        except httptools.HttpParserError as error:
            raise InvalidAnswerError(str(error)) from None
        status, headers = parser.get_status_code(), fields.headers
        if len(headers) > MOST_HEADERS or any(len(name) + len(value) > MOST_HEADER_BYTES for name, value in headers):
            raise InvalidAnswerError("its headers are too large")
        if status > _HIGHEST:
            raise InvalidAnswerError("its status is not one of HTTP")
        if status < 200:
            self._interim += 1
            if status == _SWITCHING or self._interim > MOST_INTERIM:
                raise InvalidAnswerError("it has too many interim answers, or switches the protocol")
            return False
        self.in_body = True
        self._begin(status, tuple(headers), parser, fields, is_old=head.startswith(_VERSIONS[1]))
        return True

    def _begin(
        self, status: int, headers: Headers, parser: httptools.HttpResponseParser, fields: _Fields, *, is_old: bool
    ) -> None:
        length, chunked, self.reusable = framing_of(status, headers, bodiless=self._bodiless, is_old=is_old)
        if chunked:
            self._parser, self._fields = parser, fields
            fields.in_body = True
        elif length is None:
            self.until_closed = True
        else:
            self._left = length
            self.complete = not length
        self.handler.head(status, headers, length)

    def _read_known(self, data: bytes) -> None:
        size = len(data)
        if size > self._left:
            data, self.reusable = data[: self._left], False
            size = self._left
        self._left -= size
        self.complete = not self._left
        self.handler.part(data)

    def _read_chunks(self, parser: httptools.HttpResponseParser, fields: _Fields, data: bytes) -> None:
        before = fields.held
        invalid: httptools.HttpParserError | None = None
        try:
            parser.feed_data(data)
        except httptools.HttpParserError as error:
            invalid = error
        self._pass_on(fields)
        if invalid is not None:
            if not fields.complete:
                raise InvalidAnswerError(str(invalid)) from None
            fields.extra = True
        self._came += len(data)
        self._tail = (self._tail + data[-_TAIL_BYTES:])[-_TAIL_BYTES:]
        self._quiet = self._quiet + len(data) if fields.held == before else 0
        if fields.complete:
            self.complete = True
            self.reusable = self.reusable and not fields.extra and _ends_once(self._tail)
            self._parser = self._fields = None
        elif self._came > MOST_FRAMING_BYTES + FRAMING_FACTOR * fields.held or self._quiet > MOST_TRAILER_BYTES:
            raise InvalidAnswerError("it consists almost only of framing")

    def _pass_on(self, fields: _Fields) -> None:
        """Gives the handler the chunks that were just read, joined: their limits have no meaning."""
        chunks = fields.chunks
        self.tired = len(chunks) > FEW_CHUNKS
        if chunks:
            fields.chunks = []
            self.handler.part(chunks[0] if len(chunks) == 1 else b"".join(chunks))


def _ends_once(tail: bytes) -> bool:
    """Returns whether a body in chunks ends with one empty line: the parser skips further ones without a word."""
    return len(tail) == _TAIL_BYTES and tail.endswith(_END) and tail[0] not in b"\r\n"
