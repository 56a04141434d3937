"""One file of the spool. Its disk space is reserved at creation, so that writing needs no more."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from mlpgateway.usage.frames import HEADER, Rest, frames_in

SUFFIX = ".spool"


class Segment:
    """Written by one thread, read and synced by others.

    `end` is the end of the last whole record, `synced` the end of what is surely on the disk. `dirty`: a sync is due.
    `broken`: the file contains bytes that are no record.
    """

    __slots__ = ("_closed", "_file", "broken", "dirty", "end", "number", "path", "size", "synced")

    def __init__(self, path: Path, file: int, *, size: int, end: int) -> None:
        self.path = path
        self.number = int(path.stem)
        self.size = size
        self.end = end
        self.synced = end
        self.broken = False
        self.dirty = False
        self._file = file
        self._closed = False

    @classmethod
    def create(cls, folder: Path, number: int, size: int) -> Self:
        """Returns when the file is on the disk. Raises OSError, for example when the disk is full."""
        path = folder / f"{number:010d}{SUFFIX}"
        file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            os.posix_fallocate(file, 0, size)
            os.pwrite(file, HEADER, 0)
            os.fsync(file)
            sync_folder(folder)
        except BaseException:
            os.close(file)
            with suppress(OSError):
                path.unlink()
            raise
        return cls(path, file, size=size, end=len(HEADER))

    @classmethod
    def open(cls, path: Path) -> Self:
        """Opens a file of another process. It is `broken` when anything but zeros follows its records."""
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        try:
            size = os.fstat(file).st_size
            segment = cls(path, file, size=size, end=size)
            segment._find_end()
        except BaseException:
            os.close(file)
            raise
        return segment

    def _find_end(self) -> None:
        data = self.read(0, self.size)
        if not data.startswith(HEADER):
            self.size = self.end = self.synced = len(HEADER)
            self.broken = any(data)
            return
        records = data[len(HEADER) :]
        found = frames_in(records, most=sys.maxsize)
        self.size = self.end = self.synced = len(HEADER) + found.used
        self.broken = found.rest is Rest.BROKEN or any(records[found.used :])

    def has_room_for(self, size: int) -> bool:
        return self.end + size <= self.size

    def append(self, data: bytes) -> None:
        """Writes to the page cache, which survives the process. Raises OSError; then none of the data counts."""
        try:
            written = os.pwrite(self._file, data, self.end)
        except OSError:
            self.cut(self.end)
            raise
        if written != len(data):
            self.cut(self.end)
            raise OSError(errno.ENOSPC, f"{written} of {len(data)} bytes were written")
        self.end += written

    def cut(self, end: int) -> None:
        """Discards everything after `end`, and stops further writing."""
        self.end = self.size = end
        self.synced = min(self.synced, end)
        with suppress(OSError):  # the disk has failed; leftovers fail their checksum
            os.ftruncate(self._file, end)

    def read(self, begin: int, most: int) -> bytes:
        return os.pread(self._file, max(0, min(most, self.end - begin)), begin)

    def sync(self) -> None:
        """Syncs to the disk. Raises OSError; then what the disk holds is unknown."""
        self.dirty = False
        end = self.end
        try:
            os.fdatasync(self._file)
        except OSError:
            if not self._closed:  # a segment that was shipped and removed needs no sync
                raise
        self.synced = min(end, self.end)

    def remove(self) -> None:
        self.close()
        self.path.unlink(missing_ok=True)

    def set_aside(self, folder: Path) -> Path:
        """Moves the file to a folder where people can examine it."""
        self.close()
        folder.mkdir(mode=0o700, exist_ok=True)
        return self.path.rename(folder / f"{self.path.parent.name}-{self.path.name}")

    def close(self) -> None:
        self._closed = True
        os.close(self._file)


def segments_in(folder: Path) -> Iterator[Segment]:
    """Yields the segments, oldest first."""
    for path in sorted(folder.glob(f"*{SUFFIX}")):
        yield Segment.open(path)


def sync_folder(folder: Path) -> None:
    """Syncs the folder, so that the names of its files survive a loss of power."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(file)
    finally:
        os.close(file)
