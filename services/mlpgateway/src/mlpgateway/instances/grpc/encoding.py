"""Messages with a large text, written and read around it: an object of the message would hold it once or twice more."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from typing import Final, Union

from google.protobuf.descriptor import Descriptor

from mlpgateway.call.large_json import LARGE_BYTES

MARK: Final = "\0text"
"""In a message, in the place of a text that was cut out of it."""
_WITH_LENGTH: Final = 2
_MOST_BITS: Final = 64
_MOST_FIELDS: Final = 1000
"""Looked at in one message. An answer has dozens; a hostile frame has room for 50 million, which take half a minute."""

Bytes = bytes | memoryview
Route = Mapping[int, Union["Route", None]]
"""Numbers of the fields that lead to a text: within each those of its own message, and None at the text."""


class _UnreadableError(Exception):
    """The parser may judge it."""


def field(number: int, parts: Sequence[Bytes]) -> list[Bytes]:
    """A field with a length (a text, bytes, a message): its tag, how many bytes follow, and those."""
    return [_varint(number << 3 | _WITH_LENGTH) + _varint(sum(map(len, parts))), *parts]


def cut(message: Bytes, route: Route, *, least: int = LARGE_BYTES) -> tuple[bytes, memoryview] | None:
    """The message with MARK instead of the text at the end of the route, and that text, where it lies.

    None when there is no such text of so many bytes within the first fields, or this is no message.
    """
    try:
        return _cut(memoryview(message), route, least, repeat(None, _MOST_FIELDS))
    except (_UnreadableError, IndexError):
        return None


def _cut(message: memoryview, route: Route, least: int, looks: Iterator[None]) -> tuple[bytes, memoryview] | None:
    """`looks` are those left for the whole message: one is taken for each field, also of the messages within."""
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
    """Whether it has more fields than that, those of messages within included; or what no client writes, as a group.

    A parser builds an object of each: millions of them hold the gate for seconds.
    """
    try:
        return _count(memoryview(message), kind, most) < 0
    except (_UnreadableError, IndexError):
        return True


def _count(message: memoryview, kind: Descriptor, left: int) -> int:
    """How many of `left` are left after this one, below zero when it has more. Entries of maps count as one."""
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
    """The number of the field there, where its content begins and ends; 0 for the number of one without a length."""
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


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 0x7F:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)
