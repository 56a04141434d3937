"""Content-Encoding of requests and answers (RFC 9110, section 8.4)."""

from collections.abc import Iterable
from typing import Final

_CONTENT_ENCODING: Final = b"content-encoding"
_NO_CODINGS: Final = frozenset({b"", b"identity"})


def is_coded(headers: Iterable[tuple[bytes, bytes]]) -> bool:
    """Returns whether the body has a coding. The header may be repeated, and each may have a list of codings."""
    return any(
        coding.strip(b" \t").lower() not in _NO_CODINGS
        for name, value in headers
        if name.lower() == _CONTENT_ENCODING
        for coding in value.split(b",")
    )
