"""Identifies a process beyond its id, because the system reuses process ids for other programs."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import psutil

_PROC = Path("/proc")
_STATE, _START = (
    0,
    19,
)  # indexes into the fields of /proc/PID/stat after the name; the name may contain spaces and brackets
_ENDED = frozenset({"Z", "X"})


@dataclass(frozen=True, slots=True)
class ProcessIdentity:
    """`started` is in clock ticks since the boot named by `boot`; setting the system clock changes neither.

    On systems without ticks, `started` is in Unix seconds and `boot` is empty.
    """

    pid: int
    started: float
    boot: str

    @classmethod
    def of(cls, pid: int) -> Self | None:
        """Returns None if there is no such process, or if it is a zombie."""
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
    """Whether the folder is the process's working directory, compared by device and inode, not by path."""
    try:
        its = (_PROC / str(pid) / "cwd").stat() if sys.platform == "linux" else Path(psutil.Process(pid).cwd()).stat()
        ours = folder.stat()
    except (OSError, psutil.Error):
        return False
    return (its.st_dev, its.st_ino) == (ours.st_dev, ours.st_ino)


def program_of(pid: int) -> str:
    """Returns the file name of the program that the process runs; empty if it is unknown."""
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
