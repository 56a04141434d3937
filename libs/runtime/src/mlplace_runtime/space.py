"""How much room the disks have that the platform writes to, and what it goes without when there is little.

What is given up first is what nobody misses; what money depends on goes on longest. `docs/operating.md` has the table.
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
"""A level is left only with so much more room than it was entered with: what goes on again takes some."""
_SOFT_SHARE, _HARD_SHARE = 10, 40


class Space(IntEnum):
    """From the soft floor to the hard one, in three equal steps."""

    ROOMY = 0
    SHORT = 1
    """Requests are not archived any more."""
    LOW = 2
    """Nothing that accounts store is taken: no predictions, no answers for repeated calls."""
    SCARCE = 3
    """The last warning before calls are refused."""
    FULL = 4
    """Calls are refused, as what they use could not be written down."""


@dataclass(frozen=True, slots=True)
class Room:
    """Bytes of a file system."""

    free: int
    total: int


Read = Callable[[Path], Room]


def room_of(path: Path) -> Room:
    """What a process without special rights may still take. Raises OSError."""
    found = os.statvfs(path)
    return Room(found.f_bavail * found.f_frsize, found.f_blocks * found.f_frsize)


class SpaceWatch:
    """Of one process. Run `run` beside it; without it there is always room.

    Floors are bytes, or a tenth (soft) and a fortieth (hard) of the file system where that is less: a small volume is
    not nearly full from the beginning.
    """

    def __init__(
        self, paths: Iterable[Path] = (), *, soft_bytes: int = 0, hard_bytes: int = 0, read: Read = room_of
    ) -> None:
        self._paths = list(dict.fromkeys(paths))
        self._soft = max(soft_bytes, hard_bytes)
        self._hard = hard_bytes
        self._read = read
        self.level = Space.ROOMY
        """A plain attribute: calls look at it."""
        self._worst: tuple[Path, Room] | None = None

    def add(self, path: Path) -> None:
        """One more place that this process writes to."""
        if path not in self._paths:
            self._paths.append(path)

    def trouble(self) -> dict[str, str]:
        """Empty while there is room."""
        if self.level is Space.ROOMY or self._worst is None:
            return {}
        path, room = self._worst
        left = f"{room.free / 2**20:.0f} of {room.total / 2**20:.0f} MiB are free at {path}"
        return {"disk": f"{left}: {_WITHOUT[self.level]}"}

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            await self.look()
            await asyncio.sleep(_LOOK_SECONDS)

    async def look(self) -> None:
        """In a thread: a network disk that hangs is no reason to stand still."""
        found = await asyncio.to_thread(self._look)
        if found:
            level, path, room = max(found, key=lambda each: (each[0], -each[2].free))
            self._worst = path, room
            self._enter(level)

    def _look(self) -> list[tuple[Space, Path, Room]]:
        found: list[tuple[Space, Path, Room]] = []
        for path in self._paths:
            place = _existing(path)
            try:
                room = self._read(place)
            except OSError as error:  # whoever writes there hears of it, too
                log.warning("disk_not_read", path=str(place), error=repr(error))
                continue
            DISK_FREE.labels(str(path)).set(room.free)
            found.append((self._level_of(room), path, room))
        return found

    def _level_of(self, room: Room) -> Space:
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
    """The folder may be made later; it is going to be on the file system of its parent."""
    while not path.exists() and path != path.parent:
        path = path.parent
    return path


_WITHOUT: Final = {
    Space.SHORT: "requests are not archived",
    Space.LOW: "requests are not archived, predictions and repeatable calls are refused",
    Space.SCARCE: "nothing new is stored, calls are refused soon",
    Space.FULL: "calls are refused",
}
