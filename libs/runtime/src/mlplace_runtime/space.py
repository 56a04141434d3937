"""Watches free disk space where the platform writes, and decides which functions stop when it runs low.

The least important functions stop first; what money depends on stops last. `docs/operating.md` has the table.
"""

import asyncio
import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final

import structlog

from mlplace_runtime.telemetry.metrics import DISK_FREE, DISK_LEVEL

log = structlog.get_logger(__name__)

_LOOK_SECONDS: Final = 1.0
_STEPS: Final = 3
_BACK: Final = 1.05
"""A level is left only when this much more space is free than when it was entered: resumed work needs some."""
_SOFT_SHARE, _HARD_SHARE = 10, 40


class Space(IntEnum):
    """Levels of scarcity, in three equal steps between the soft and the hard floor."""

    ROOMY = 0
    SHORT = 1
    """Requests are no longer archived."""
    LOW = 2
    """No data of accounts is stored: no predictions, no responses for repeated calls."""
    SCARCE = 3
    """The last warning before calls are refused."""
    FULL = 4
    """Calls are refused, because their usage could not be recorded."""


@dataclass(frozen=True, slots=True)
class DiskSpace:
    """Free and total bytes of a file system."""

    free: int
    total: int


Read = Callable[[Path], DiskSpace]


def room_of(path: Path) -> DiskSpace:
    """Returns the space that an unprivileged process may still use. Raises OSError."""
    found = os.statvfs(path)
    return DiskSpace(found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)


class SpaceWatch:
    """Watches the disks of one process. Its level only changes while `run` runs; before, it is ROOMY.

    Floors are in bytes, but at most a tenth (soft) and a fortieth (hard) of the file system, so that a small volume is
    not reported as nearly full from the beginning.
    """

    def __init__(
        self, paths: Iterable[Path] = (), *, soft_bytes: int = 0, hard_bytes: int = 0, read: Read = room_of
    ) -> None:
        self._paths = list(dict.fromkeys(paths))
        self._soft = max(soft_bytes, hard_bytes)
        self._hard = hard_bytes
        self._read = read
        self.level = Space.ROOMY
        """A plain attribute, because every call reads it."""
        self._worst: tuple[Path, DiskSpace] | None = None

    def add(self, path: Path) -> None:
        """Watches one more path that this process writes to."""
        if path not in self._paths:
            self._paths.append(path)

    def trouble(self) -> dict[str, str]:
        """Returns the problem for the health report; empty while there is enough space."""
        if self.level is Space.ROOMY or self._worst is None:
            return {}
        path, room = self._worst
        left = f"{room.free / 2**20:.0f} of {room.total / 2**20:.0f} MiB are free at {path}"
        return {"disk": f"{left}: {_WITHOUT[self.level]}"}

    async def run(self) -> None:
        """Runs until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(_LOOK_SECONDS)

    async def look(self) -> None:
        """Runs in a thread, so that a hanging network disk does not block the event loop."""
        found = await asyncio.to_thread(self._look)
        if found:
            level, path, room = max(found, key=lambda each: (each[0], -each[2].free))
            self._worst = path, room
            self._enter(level)

    def _look(self) -> list[tuple[Space, Path, DiskSpace]]:
        found: list[tuple[Space, Path, DiskSpace]] = []
        for path in self._paths:
            place = _existing(path)
            try:
                room = self._read(place)
            except OSError as error:  # the code that writes there gets the error, too
                log.warning("disk_not_read", path=str(place), error=repr(error))
                continue
            DISK_FREE.labels(str(path)).set(room.free)
            found.append((self._level_of(room), path, room))
        return found

    def _level_of(self, room: DiskSpace) -> Space:
        soft, hard = min(self._soft, room.total // _SOFT_SHARE), min(self._hard, room.total // _HARD_SHARE)
        level = Space.ROOMY
        for step in Space:
            if step is Space.ROOMY:
                continue
            floor = hard + (soft - hard) * (Space.FULL - step) // _STEPS
            back = _BACK if step <= self.level else 1.0
            if room.free < floor * back:
                level = step
        return level

    def _enter(self, level: Space) -> None:
        before, self.level = self.level, level
        DISK_LEVEL.set(level)
        if level is not before:
            tell = log.warning if level else log.info
            tell("disk_space_changed", level=level.name, before=before.name, **self.trouble())


def _existing(path: Path) -> Path:
    """Returns the nearest existing parent: the folder may be created later, on the same file system."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


_WITHOUT: Final = {
    Space.SHORT: "requests are not archived",
    Space.LOW: "requests are not archived, predictions and repeatable calls are refused",
    Space.SCARCE: "nothing new is stored, calls are refused soon",
    Space.FULL: "calls are refused",
}
