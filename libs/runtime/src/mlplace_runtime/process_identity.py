"""Which process is meant. Process ids are used again, for programs of others, too: an id alone names nobody."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

_PROC = Path("/proc")
_STATE, _START = 0, 19  # fields of /proc/PID/stat after the name, which may hold spaces and brackets
_ENDED = frozenset({"Z", "X"})


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """`started` is in clock ticks since the boot named by `boot`, so that setting the clock changes neither.

    Where the system tells no ticks, `started` is in Unix seconds and `boot` is empty.
    """

    pid: int
    started: float
    boot: str

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """None when there is no such process, or it has ended and nobody has collected it yet."""
        if sys.platform == "linux":
            fields = _stat(pid)
            return cls(pid, float(fields[_START]), _boot_id()) if fields and fields[_STATE] not in _ENDED else None
        try:
            process = psutil.Process(pid)
            return None if process.status() == psutil.STATUS_ZOMBIE else cls(pid, process.create_time(), "")
        except psutil.NoSuchProcess:
            return None

    @property
    def is_alive(self) -> bool:
        return type(self).of(self.pid) == self


def works_in(pid: int, folder: Path) -> bool:
    """Whether this is the process's working directory, under whatever path it knows the folder."""
    try:
        its = (_PROC / str(pid) / "cwd").stat() if sys.platform == "linux" else Path(psutil.Process(pid).cwd()).stat()
        ours = folder.stat()
    except (OSError, psutil.Error):
        return False
    return (its.st_dev, its.st_ino) == (ours.st_dev, ours.st_ino)


def program_of(pid: int) -> str:
    """The name of its program; empty when it cannot be told."""
    try:
        return Path(psutil.Process(pid).exe()).name.removesuffix(" (deleted)")
    except (OSError, psutil.Error):
        return ""


def _stat(pid: int) -> list[str]:
    try:
        return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def _boot_id() -> str:
    return (_PROC / "sys/kernel/random/boot_id").read_text().strip()
