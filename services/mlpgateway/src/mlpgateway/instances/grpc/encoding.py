"""Reads and writes messages around a large text: a message object would hold the text in memory once or twice more."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Final, Union

from google.protobuf.descriptor import Descriptor

from mlpgateway.call.large_json import LARGE_BYTES

MARK: Final = "\0text"
"""Replaces a text that was cut out of a message."""
_WITH_LENGTH: Final = 2
_MOST_BITS: Final = 64
_SMALL: Final = tuple(bytes((value,)) for value in range(0x80))
_MOST_FIELDS: Final = 1000
"""Fields examined in one message.

An answer has dozens; a hostile frame can have 50 million, which take half a minute.
"""

Bytes = bytes | memoryview
Route = Mapping[int, Union["Route", None]]
"""Field numbers that lead to a text: a mapping for each nested message, None for the text itself."""


class _UnreadableError(Exception):
    """The bytes are malformed for this reader. The protobuf parser decides in the end."""


def field(number: int, parts: Sequence[Bytes]) -> list[Bytes]:
    """Returns a length-delimited field (a text, bytes or message) in pieces: tag and length, then the content."""
    return [varint(number << 3 | _WITH_LENGTH) + varint(sum(map(len, parts))), *parts]


def cut(message: Bytes, route: Route, *, least: int = LARGE_BYTES) -> tuple[bytes, memoryview] | None:
    """Returns the message with MARK in place of the text at the end of the route, and a view of that text.

    Returns None when the first fields hold no such text of at least `least` bytes, or when the message is malformed.
    """
    try:
        return _cut(memoryview(message), route, least, repeat(None, _MOST_FIELDS))
    except (_UnreadableError, IndexError):
        return None


def _cut(message: memoryview, route: Route, least: int, looks: Iterator[None]) -> tuple[bytes, memoryview] | None:
    """`looks` is the remaining budget of fields for the whole message, nested messages included."""
    at, size = 0, len(message)
    for _ in looks:
        if at >= size:
            break
        began = at
        number, at, end = _next(message, at)
        if number in route and end - at >= least:
            inner = route[number]
            found = (MARK.encode(), message[at:end]) if inner is None else _cut(message[at:end], inner, least, looks)
            if found is not None:
                parts = field(number, [found[0]])
                return b"".join([message[:began], *parts, message[end:]]), found[1]
        at = end
    return None


def is_overfull(message: Bytes, kind: Descriptor, *, most: int) -> bool:
    """Returns whether the message has more than `most` fields, nested ones included, or uses groups.

    A parser creates an object for each field: millions of them would block the gate for seconds.
    """
    try:
        return _count(memoryview(message), kind, most) < 0
    except (_UnreadableError, IndexError):
        return True


def _count(message: memoryview, kind: Descriptor, left: int) -> int:
    """Returns the rest of the budget `left` after this message, negative when exceeded. A map entry counts as one."""
    at, size = 0, len(message)
    while at < size and left >= 0:
        number, at, end = _next(message, at)
        left -= 1
        known = kind.fields_by_number.get(number)
        if known is not None and (inner := known.message_type) is not None and not inner.GetOptions().map_entry:
            left = _count(message[at:end], inner, left)
        at = end
    return left


def _next(message: memoryview, at: int) -> tuple[int, int, int]:
    """Returns the field's number and its content's start and end; number 0 for a field that is not length-delimited."""
    tag, at = _read_varint(message, at)
    match tag & 7:
        case 2:
            length, at = _read_varint(message, at)
            number, end = tag >> 3, at + length
        case 0:
            number, end = 0, _read_varint(message, at)[1]
        case 1:
            number, end = 0, at + 8
        case 5:
            number, end = 0, at + 4
        case _:
            raise _UnreadableError
    if end > len(message):
        raise _UnreadableError
    return number, at, end


def _read_varint(message: memoryview, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, _MOST_BITS, 7):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise _UnreadableError


def varint(value: int) -> bytes:
    """Returns a number as protobuf writes it, for tags, lengths and whole numbers."""
    if value <= 0x7F:
        return _SMALL[value]
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
