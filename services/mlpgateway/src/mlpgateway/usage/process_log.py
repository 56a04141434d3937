"""The usage log of one gate process: segments, oldest first, written at the end and shipped from the beginning."""

import os
import struct
import zlib
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import structlog

from mlpgateway.usage.frames import HEADER, Rest, frames_in
from mlpgateway.usage.metrics import DAMAGED
from mlpgateway.usage.segment import Segment, segments_in
from mlplace_runtime.bus.port import Record

DAMAGED_FOLDER: Final = "damaged"
_SHIPPED: Final = struct.Struct("<QQ")  # number of the segment and position in it; their CRC-32 follows
_CHECKSUM: Final = struct.Struct("<I")
_MOST_RECORDS: Final = 1000
_WINDOW_BYTES: Final = 1024 * 1024

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class NextRecords:
    """The next records of the oldest segment, and the position of their end."""

    records: list[Record]
    end: int


class ProcessLog:
    """The writer adds segments, and the shipper removes them, possibly in another thread."""

    def __init__(self, folder: Path, lock: int, *, open_ended: bool) -> None:
        """`lock` is the open file whose lock makes the log this process's; `close` closes it.

        `open_ended`: the newest segment is still being written.
        """
        self.folder = folder
        self.segments: deque[Segment] = deque()
        self.open_ended = open_ended
        self._lock = lock
        self._shipped = _open_note(folder / "shipped")
        self._place = len(HEADER)

    @classmethod
    def adopt(cls, folder: Path, lock: int) -> Self:
        """Opens a log of another process, from the first record not yet shipped. Raises OSError; `lock` stays open."""
        process_log = cls(folder, lock, open_ended=False)
        try:
            process_log.segments.extend(segments_in(folder))
            process_log._skip_shipped()
        except BaseException:
            process_log._close_files()
            raise
        return process_log

    def _skip_shipped(self) -> None:
        """Skips what was shipped. Without a valid note all is shipped again, and consumers drop it by its id."""
        data = os.pread(self._shipped, _SHIPPED.size + _CHECKSUM.size, 0)
        place, checksum = data[: _SHIPPED.size], data[_SHIPPED.size :]
        if checksum != _CHECKSUM.pack(zlib.crc32(place)):
            return
        number, offset = _SHIPPED.unpack(place)
        while self.segments and self.segments[0].number < number:
            self._drop_oldest()
        if self.segments and self.segments[0].number == number:
            self._place = offset

    @property
    def waiting_bytes(self) -> int:
        whole = sum(segment.end - len(HEADER) for segment in tuple(self.segments))
        return max(0, whole - (self._place - len(HEADER)))

    def read(self, *, synced: bool) -> NextRecords | None:
        """Returns the next records; None when there are none. `synced`: only records that are surely on the disk.

        Does blocking disk work. Removes finished segments on the way. Raises OSError.
        """
        while self.segments:
            # In this order: a segment's end is final once it has a successor.
            complete = len(self.segments) > 1 or not self.open_ended
            segment = self.segments[0]
            batch = self._read(segment, segment.synced if synced else segment.end)
            if batch is not None:
                return batch
            if not complete or self._place < segment.end:
                return None
            self._drop_oldest()
        return None

    def _read(self, segment: Segment, end: int) -> NextRecords | None:
        window = _WINDOW_BYTES
        while self._place < end:
            data = segment.read(self._place, min(window, end - self._place))
            found = frames_in(data, most=_MOST_RECORDS)
            if found.records:
                return NextRecords(found.records, self._place + found.used)
            if found.rest is not Rest.MORE or window >= end - self._place:
                segment.broken = True
                segment.cut(self._place)
                return None
            window *= 4
        return None

    def shipped(self, batch: NextRecords) -> int:
        """Notes that the bus has accepted the records. Returns their size in bytes.

        The note survives this process. Losing it with the power does no harm: see `_skip_shipped`.
        """
        place = _SHIPPED.pack(self.segments[0].number, batch.end)
        with suppress(OSError):  # without the note it is shipped again later, and dropped by its id
            os.pwrite(self._shipped, place + _CHECKSUM.pack(zlib.crc32(place)), 0)
        size, self._place = batch.end - self._place, batch.end
        return size

    def _drop_oldest(self) -> None:
        segment = self.segments.popleft()
        self._place = len(HEADER)
        if not segment.broken:
            segment.remove()
            return
        DAMAGED.inc()
        kept = segment.set_aside(self.folder.parent / DAMAGED_FOLDER)
        log.error("usage_spool_damaged", kept=str(kept), readable_bytes=segment.end)

    def close(self) -> None:
        """Closes the log. Unshipped records stay for the next process; an empty log is removed.

        Raises OSError, but releases the lock in any case.
        """
        try:
            self._close_files()
            if not self.waiting_bytes and not any(segment.broken for segment in self.segments):
                for path in self.folder.iterdir():
                    path.unlink()
                self.folder.rmdir()
        finally:
            os.close(self._lock)

    def _close_files(self) -> None:
        for segment in self.segments:
            segment.close()
        os.close(self._shipped)


def _open_note(path: Path) -> int:
    """Opens the note and reserves its disk space if possible, so that a full disk can still store it."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with suppress(OSError):
        os.posix_fallocate(file, 0, _SHIPPED.size + _CHECKSUM.size)
    return file
