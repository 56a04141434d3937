"""The format of segments: each record follows its length and checksum. Zeros or the end of the file come last."""

import struct
import zlib
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from mlplace_runtime.bus.port import Record

HEADER: Final = b"MLPSPL\x01\n"
"""The beginning of a segment: its type and the version of this format."""

_FRAME: Final = struct.Struct("<II")  # length of the body in bytes, its CRC-32
_NAMES: Final = struct.Struct("<BH")  # lengths of topic and key in bytes; the value is the rest


class Rest(Enum):
    """What follows the records that were read."""

    MORE = auto()
    """Nothing, a part of a record, or further records."""
    ZEROS = auto()
    BROKEN = auto()


@dataclass(frozen=True, slots=True)
class Frames:
    """The records in the first `used` bytes."""

    records: list[Record]
    used: int
    rest: Rest


def frame(record: Record) -> bytes:
    topic, key = record.topic.encode(), record.key.encode()
    body = b"".join((_NAMES.pack(len(topic), len(key)), topic, key, record.value))
    return _FRAME.pack(len(body), zlib.crc32(body)) + body


class FrameOf:
    """Frames of records with one topic and one key, whose names are encoded and checksummed once."""

    __slots__ = ("_checksum", "_names")

    def __init__(self, topic: str, key: str) -> None:
        named, keyed = topic.encode(), key.encode()
        self._names = b"".join((_NAMES.pack(len(named), len(keyed)), named, keyed))
        self._checksum = zlib.crc32(self._names)

    def around(self, value: bytes) -> bytes:
        """Returns the same bytes as `frame` of the record with this value."""
        size = len(self._names) + len(value)
        return b"".join((_FRAME.pack(size, zlib.crc32(value, self._checksum)), self._names, value))


def frames_in(data: bytes, *, most: int) -> Frames:
    """Returns up to `most` records."""
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
