"""How records lie in a segment: each behind its length and checksum; zeros, or the end of the file, end them."""

import struct
import zlib
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from mlplace_runtime.bus.port import Record

HEADER: Final = b"MLPSPL\x01\n"
"""What a segment begins with: its kind and the version of this format."""

_FRAME: Final = struct.Struct("<II")  # bytes of the body, its CRC-32
_NAMES: Final = struct.Struct("<BH")  # bytes of the topic, of the key; the value is the rest


class Rest(Enum):
    """What follows the records."""

    MORE = auto()
    """Nothing, a part of a record, or records that were not asked for."""
    ZEROS = auto()
    BROKEN = auto()


@dataclass(frozen=True, slots=True)
class Frames:
    """`used` bytes hold `records`."""

    records: list[Record]
    used: int
    rest: Rest


def frame(record: Record) -> bytes:
    topic, key = record.topic.encode(), record.key.encode()
    body = b"".join((_NAMES.pack(len(topic), len(key)), topic, key, record.value))
    return _FRAME.pack(len(body), zlib.crc32(body)) + body


def frames_in(data: bytes, *, most: int) -> Frames:
    """Up to `most` records."""
    records: list[Record] = []
    place = 0
    while len(records) < most and place + _FRAME.size <= len(data):
        size, checksum = _FRAME.unpack_from(data, place)
        begin = place + _FRAME.size
        if size < _NAMES.size:
            zeros = data.count(0, place) == len(data) - place
            return Frames(records, place, Rest.ZEROS if zeros else Rest.BROKEN)
        body = data[begin : begin + size]
        if len(body) < size:
            break
        if zlib.crc32(body) != checksum:
            return Frames(records, place, Rest.BROKEN)
        records.append(_record(body))
        place = begin + size
    return Frames(records, place, Rest.MORE)


def _record(body: bytes) -> Record:
    topic, key = _NAMES.unpack_from(body)
    key_begin = _NAMES.size + topic
    value_begin = key_begin + key
    return Record(body[_NAMES.size : key_begin].decode(), body[key_begin:value_begin].decode(), body[value_begin:])
