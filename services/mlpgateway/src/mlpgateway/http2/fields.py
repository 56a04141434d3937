"""Which fields a request over HTTP/2 may have (RFC 9113, section 8)."""

import re
from collections.abc import Sequence
from typing import Final

Fields = Sequence[tuple[bytes, bytes]]

_NAME: Final = re.compile(rb":?[!#$%&'*+\-.^_`|~0-9a-z]+")
_NO_VALUE: Final = re.compile(rb"[\0\r\n]")
_LENGTH: Final = re.compile(rb"[0-9]{1,18}")
_PSEUDO: Final = frozenset((b":method", b":scheme", b":path", b":authority"))
_NEEDED: Final = (b":method", b":scheme", b":path")
_OF_CONNECTIONS: Final = frozenset(
    (b"connection", b"proxy-connection", b"keep-alive", b"transfer-encoding", b"upgrade")
)


def is_malformed_request(fields: Fields) -> bool:
    """Returns whether they are no request: a stream with them is reset.

    White space around a value is left to the reader, since clients of gRPC send it, and gRPC allows to take it off.
    """
    pseudo: dict[bytes, bytes] = {}
    regular = False
    lengths: set[bytes] = set()
    for name, value in fields:
        if name[:1] == b":":
            if regular or name in pseudo or name not in _PSEUDO:
                return True
            pseudo[name] = value
            continue
        regular = True
        if name == b"content-length":
            lengths.add(value)
        elif name == b"te" and value != b"trailers":
            return True
    if pseudo.get(b":method") != b"CONNECT" and not all(pseudo.get(name) for name in _NEEDED):
        return True
    if len(lengths) > 1 or not all(_LENGTH.fullmatch(value) for value in lengths):
        return True
    return not _are_well_formed(fields)


def length_of(value: bytes | None) -> int | None:
    """Returns the number of a Content-Length; None for none, and for a malformed one."""
    return int(value) if value is not None and _LENGTH.fullmatch(value) else None


def is_well_formed_trailer(fields: Fields) -> bool:
    """Returns whether they may end a request."""
    return _are_well_formed(fields) and not any(name[:1] == b":" for name, _ in fields)


def _are_well_formed(fields: Fields) -> bool:
    return not any(
        name in _OF_CONNECTIONS or _NAME.fullmatch(name) is None or _NO_VALUE.search(value) is not None
        for name, value in fields
    )
