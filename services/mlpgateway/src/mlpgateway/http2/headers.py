"""Headers of calls: decoded from HPACK (RFC 7541), and encoded for answers."""

import base64
import binascii
import re
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Final
from urllib.parse import quote

from hpack import Decoder, HPACKError

from mlpgateway.http2.fields import is_malformed_request, is_well_formed_trailer, length_of
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.limits import HEADERS_BYTES

Metadata = tuple[tuple[str, str | bytes], ...]

_TIMEOUT = re.compile(rb"([0-9]{1,8})([HMSmun])")
_UNITS: Final = {b"H": 3600.0, b"M": 60.0, b"S": 1.0, b"m": 1e-3, b"u": 1e-6, b"n": 1e-9}
_KEPT_BLOCKS = 32
_KEPT_BYTES = 256
_SIZE_UPDATE: Final = range(0x20, 0x40)
# The characters of an error message that are not percent-encoded (gRPC over HTTP/2, "Status-Message").
_PLAIN: Final = "".join(chr(code) for code in range(0x20, 0x7F) if chr(code) != "%")


@dataclass(frozen=True, slots=True)
class Opening:
    """The beginning of a call. `refusal` is the HTTP status for a request that is not gRPC.

    `length` is the number of bytes that its DATA must have, if the caller says so. `malformed`: RFC 9113 allows no such
    request. `may_trail`: the fields may end a request instead.
    """

    path: str
    metadata: Metadata
    encoding: str = ""
    timeout: float | None = None
    refusal: int = 0
    size: int = 0
    length: int | None = None
    malformed: bool = False
    may_trail: bool = False


class HeaderReader:
    """Decodes the headers of one connection. Callers repeat themselves, so a block without side effects is cached."""

    def __init__(self) -> None:
        self._decoder = Decoder(HEADERS_BYTES)
        self._known: dict[bytes, Opening] = {}

    def read(self, block: bytes) -> Opening:
        """Raises ConnectionFailedError: after an error, later headers of the connection cannot be decoded."""
        known = self._known.get(block)
        if known is not None:
            return known
        table = self._decoder.header_table.dynamic_entries
        newest = table[0] if table else None
        count = len(table)
        try:
            fields = self._decoder.decode(block, raw=True)
        except HPACKError as error:
            raise ConnectionFailedError(Code.COMPRESSION_ERROR, type(error).__name__) from None
        opening = _opening([_field(bytes(name), bytes(value)) for name, value, *_ in fields])
        if len(table) != count or (table and table[0] is not newest):
            self._known.clear()
        elif (
            len(self._known) < _KEPT_BLOCKS and len(block) <= _KEPT_BYTES and block[:1] and block[0] not in _SIZE_UPDATE
        ):
            self._known[block] = opening
        return opening


def _field(name: bytes, value: bytes) -> tuple[bytes, bytes]:
    """White space around a value is no part of it; gRPC allows it. Pseudo-header fields have none."""
    return (name, value) if name[:1] == b":" else (name, value.strip(b" \t"))


def _opening(fields: Sequence[tuple[bytes, bytes]]) -> Opening:
    own = {name: value for name, value in fields if name[:1] == b":" or name in _OWN}
    metadata = tuple(_metadata(name, value) for name, value in fields if name[:1] != b":")
    refusal = 0
    if own.get(b":method") != b"POST":
        refusal = HTTPStatus.METHOD_NOT_ALLOWED.value
    elif not own.get(b"content-type", b"").startswith(b"application/grpc"):
        refusal = HTTPStatus.UNSUPPORTED_MEDIA_TYPE.value
    return Opening(
        path=own.get(b":path", b"").decode("latin-1"),
        metadata=metadata,
        encoding=own.get(b"grpc-encoding", b"identity").decode("latin-1"),
        timeout=_seconds(own.get(b"grpc-timeout")),
        refusal=refusal,
        size=sum(len(name) + len(value) + 32 for name, value in fields),
        length=length_of(own.get(b"content-length")),
        malformed=is_malformed_request(fields),
        may_trail=is_well_formed_trailer(fields),
    )


_OWN: Final = frozenset((b"content-type", b"content-length", b"grpc-encoding", b"grpc-timeout"))


def _metadata(name: bytes, value: bytes) -> tuple[str, str | bytes]:
    text = name.decode("latin-1")
    if not text.endswith("-bin"):
        return text, value.decode("latin-1")
    try:
        return text, base64.b64decode(value + b"=" * (-len(value) % 4))
    except (binascii.Error, ValueError):
        return text, b""


def _seconds(timeout: bytes | None) -> float | None:
    found = _TIMEOUT.fullmatch(timeout) if timeout else None
    return int(found[1]) * _UNITS[found[2]] if found else None


def encoded(fields: Sequence[tuple[str, str]]) -> bytes:
    """Encodes as literals without indexing, so that the encoder needs no state."""
    return b"".join(b"\x00" + _text(name) + _text(value) for name, value in fields)


def status_alone(status: int) -> bytes:
    """Returns an HTTP answer outside gRPC. `:status` and `allow` are entries 8 and 22 of HPACK's static table."""
    allow = b"\x0f\x07" + _text("POST") if status == HTTPStatus.METHOD_NOT_ALLOWED else b""
    return b"\x08" + _text(str(status)) + allow


def _text(text: str) -> bytes:
    data = text.encode("latin-1", "replace")
    size = len(data)
    if size < 127:
        return bytes((size,)) + data
    rest, count = size - 127, bytearray(b"\x7f")
    while rest >= 128:
        count.append(rest % 128 + 128)
        rest //= 128
    count.append(rest)
    return bytes(count) + data


def message_text(text: str) -> str:
    """Returns the text percent-encoded as gRPC requires, limited in length."""
    return quote(text[:1024], safe=_PLAIN)


BEGIN: Final = b"\x88" + encoded(
    [("content-type", "application/grpc"), ("grpc-accept-encoding", "identity,gzip,deflate")]
)
"""The headers that begin an answer. Status 200 is in the static table."""
END_OK: Final = encoded([("grpc-status", "0")])
NO_METHOD: Final = BEGIN + encoded([("grpc-status", "12"), ("grpc-message", "there is no such method")])
"""UNIMPLEMENTED."""
