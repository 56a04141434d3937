"""Where the body of an answer ends, and whether its connection may be used again (RFC 9112, sections 6.3 and 9.3)."""

from typing import Final, NamedTuple

from mlpgateway.instances.http.client.errors import InvalidAnswerError

Headers = tuple[tuple[bytes, bytes], ...]
BODILESS: Final = frozenset({204, 304})
"""Statuses of answers that never have a body. They may announce a length all the same: that of another answer."""
_FRAMING: Final = frozenset({b"connection", b"content-length", b"transfer-encoding"})
_MOST_DIGITS: Final = 18


class Framing(NamedTuple):
    """`length` of the body in bytes; None: it comes in chunks, or ends with the connection."""

    length: int | None
    chunked: bool
    reusable: bool


def framing_of(status: int, headers: Headers, *, bodiless: bool, is_old: bool) -> Framing:
    """Expects headers of the parser, which refuses two lengths, and a length beside a transfer coding.

    `bodiless`: the answer is one to HEAD. `is_old`: it is HTTP/1.0. Raises InvalidAnswerError.
    """
    length: int | None = None
    chunked, options = False, b""
    for name, value in headers:
        lower = name.lower()
        if lower not in _FRAMING:
            continue
        if lower == b"connection":
            options += b"," + value.lower()
        elif lower == b"content-length":
            length = _length_of(value)
        elif is_old or chunked or value.lower() != b"chunked":
            raise InvalidAnswerError("its transfer coding is not known")
        else:
            chunked = True
    reusable = _keeps_open(options, is_old=is_old)
    if bodiless or status in BODILESS:
        return Framing(0, chunked=False, reusable=reusable and (bodiless or not chunked))
    return Framing(length, chunked=chunked, reusable=reusable and (chunked or length is not None))


def _length_of(value: bytes) -> int:
    if not value.isdigit() or len(value) > _MOST_DIGITS:
        raise InvalidAnswerError("its length is not valid")
    return int(value)


def _keeps_open(options: bytes, *, is_old: bool) -> bool:
    """Returns whether the instance keeps the connection (RFC 9112, section 9.3). `options`: of Connection headers."""
    if not options:
        return not is_old
    tokens = {token.strip() for token in options.split(b",")}
    return b"close" not in tokens and (not is_old or b"keep-alive" in tokens)
