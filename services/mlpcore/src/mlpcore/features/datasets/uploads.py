"""Receives the file of a multipart form piece by piece into a temporary file. A broken upload leaves nothing."""

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import BinaryIO, Final, NoReturn

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header

from mlpcore.features.datasets.errors import DatasetDigestDiffers
from mlpcore.features.datasets.schemas import is_file_name
from mlpcore.pacing import PACE, Pace, paced
from mlplace_kit.errors import DomainError, MalformedRequest, UnsupportedContentType, ValidationFailed
from mlplace_kit.violations import broken

FIELD: Final = "file"
_FORM: Final = "multipart/form-data"
_MOST_HEADERS: Final = 8192
_MOST_BOUNDARY: Final = 70  # RFC 2046
_FED: Final = 256 * 1024
"""Bytes that are parsed together: each time takes a switch of threads."""
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class Received:
    """The file is deleted when it is closed, and with the process."""

    file: BinaryIO
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Bound:
    """Raises `refusal` for a file with more than `size` bytes."""

    size: int
    refusal: DomainError


async def receive(
    pieces: AsyncIterator[bytes],
    file: BinaryIO,
    *,
    content_type: str,
    bound: Bound,
    sha256: str | None = None,
    pace: Pace = PACE,
) -> Received:
    """Writes the form's one file. `sha256`: the digest that the sender announced, in hexadecimal digits.

    Threads parse and write it, so that other requests go on. Raises UnsupportedContentType, MalformedRequest,
    RequestTooSlow, ValidationFailed, DatasetDigestDiffers and the bound's refusal.
    """
    if sha256 is not None and not _DIGEST.fullmatch(sha256):
        raise ValidationFailed({"sha256": broken("pattern", pattern="[0-9a-f]{64}")})
    form = _Form(file, _boundary(content_type), bound)
    waiting = bytearray()
    async for piece in paced(pieces, pace):
        waiting += piece
        if len(waiting) >= _FED:
            await asyncio.to_thread(form.feed, bytes(waiting))
            waiting.clear()
    await asyncio.to_thread(form.feed, bytes(waiting))
    received = form.end()
    if sha256 is not None and received.sha256 != sha256:
        raise DatasetDigestDiffers(expected=sha256, actual=received.sha256)
    return received


def receive_text(text: str, file: BinaryIO, *, bound: Bound) -> Received:
    """Writes a text as the file. Raises the bound's refusal, and ValidationFailed for what UTF-8 cannot encode."""
    try:
        data = text.encode()
    except UnicodeEncodeError:
        raise ValidationFailed({"content": broken("invalid")}) from None
    if len(data) > bound.size:
        raise bound.refusal
    file.write(data)
    file.flush()
    return Received(file, len(data), hashlib.sha256(data).hexdigest())


def _boundary(content_type: str) -> bytes:
    kind, options = parse_options_header(content_type)
    boundary = options.get(b"boundary", b"")
    if kind != _FORM.encode() or not 0 < len(boundary) <= _MOST_BOUNDARY:
        raise UnsupportedContentType(expected=_FORM)
    return boundary


class _Form:
    def __init__(self, file: BinaryIO, boundary: bytes, bound: Bound) -> None:
        self._file = file
        self._bound = bound
        self._digest = hashlib.sha256()
        self._size = 0
        self._header = (b"", b"")
        self._headers: dict[bytes, bytes] = {}
        self._files = 0
        self._ended = False
        self._parser = MultipartParser(
            boundary,
            {
                "on_part_begin": self._begin,
                "on_header_field": self._name,
                "on_header_value": self._value,
                "on_header_end": self._header_end,
                "on_headers_finished": self._part,
                "on_part_data": self._data,
                "on_end": self._end,
            },
        )

    def feed(self, piece: bytes) -> None:
        try:
            self._parser.write(piece)
        except FormParserError:
            self._refuse()

    def end(self) -> Received:
        if not self._ended:
            raise MalformedRequest(reason="its body ended early")
        if not self._files:
            raise ValidationFailed({FIELD: broken("required")})
        self._file.flush()
        return Received(self._file, self._size, self._digest.hexdigest())

    def _refuse(self) -> NoReturn:
        raise MalformedRequest(reason="it is no multipart form")

    def _begin(self) -> None:
        self._headers = {}
        self._header = (b"", b"")

    def _name(self, data: bytes, start: int, end: int) -> None:
        self._header = (self._header[0] + data[start:end], self._header[1])
        self._bounded()

    def _value(self, data: bytes, start: int, end: int) -> None:
        self._header = (self._header[0], self._header[1] + data[start:end])
        self._bounded()

    def _bounded(self) -> None:
        if len(self._header[0]) + len(self._header[1]) > _MOST_HEADERS:
            self._refuse()

    def _header_end(self) -> None:
        self._headers[self._header[0].lower()] = self._header[1]
        self._header = (b"", b"")

    def _part(self) -> None:
        """Takes one part, the file. Others would be lost without a word."""
        name, file_name = _disposition(self._headers.get(b"content-disposition", b""))
        self._files += 1
        if self._files > 1:
            raise ValidationFailed({FIELD: broken("too_many", max="1")})
        if name != FIELD.encode():
            raise ValidationFailed({FIELD: broken("required")})
        if file_name is not None and not is_file_name(file_name):
            raise ValidationFailed({FIELD: broken("file_name")})

    def _data(self, data: bytes, start: int, end: int) -> None:
        self._size += end - start
        if self._size > self._bound.size:
            raise self._bound.refusal
        piece = memoryview(data)[start:end]
        self._digest.update(piece)
        self._file.write(piece)

    def _end(self) -> None:
        self._ended = True


def _disposition(header: bytes) -> tuple[bytes | None, str | None]:
    """Returns the names of the field and the file. Browsers send them as UTF-8; other bytes are no name."""
    _, options = parse_options_header(header)
    file_name = options.get(b"filename")
    return options.get(b"name"), None if file_name is None else file_name.decode(errors="surrogateescape")
