"""The spool of one gate process: its segments, oldest first, written at the end and shipped from the begin."""

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
_SHIPPED: Final = struct.Struct("<QQ")  # the number of the segment, the place in it; their CRC-32 follows
_CHECKSUM: Final = struct.Struct("<I")
_MOST_RECORDS: Final = 1000
_WINDOW_BYTES: Final = 1024 * 1024

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class NextRecords:
    """What comes next in the oldest segment, and where it ends."""

    records: list[Record]
    end: int


class ProcessLog:
    """Segments are added by who writes and taken away by who ships; the latter may do so in a thread."""

    def __init__(self, folder: Path, lock: int, *, open_ended: bool) -> None:
        """`lock` is the open file whose lock makes the process log this process's; it is closed with the process log.

        `open_ended`: the newest segment is still written to.
        """
        self.folder = folder
        self.segments: deque[Segment] = deque()
        self.open_ended = open_ended
        self._lock = lock
        self._shipped = _open_note(folder / "shipped")
        self._place = len(HEADER)

    @classmethod
    def adopt(cls, folder: Path, lock: int) -> Self:
        """What another process has left, less what the bus has taken. Raises OSError; the lock stays the caller's."""
        process_log = cls(folder, lock, open_ended=False)
        try:
            process_log.segments.extend(segments_in(folder))
            process_log._skip_shipped()
        except BaseException:
            process_log._close_files()
            raise
        return process_log

    def _skip_shipped(self) -> None:
        """Without a valid note all is shipped again: who reads it knows it by its id."""
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
        """What comes next; None when there is nothing. `synced`: only what is known to be on the disk.

        Blocks for the disk. Segments that are done with are removed on the way. Raises OSError.
        """
        while self.segments:
            # In this order: the end of a segment that has a successor does not move any more.
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
        """The bus has taken it. Returns its bytes.

        The note survives this process. That it may not survive a loss of power does no harm: see `_skip_shipped`.
        """
        place = _SHIPPED.pack(self.segments[0].number, batch.end)
        with suppress(OSError):  # without the note it is shipped again one day, and known by its id
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
        """What was not shipped stays, for whoever adopts the process log. Nothing stays of one that is empty.

        Raises OSError; the process log is given back all the same.
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
    """With its room on the disk, if there is some, so that a full disk takes notes of what was shipped."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    with suppress(OSError):
        os.posix_fallocate(file, 0, _SHIPPED.size + _CHECKSUM.size)
    return file
