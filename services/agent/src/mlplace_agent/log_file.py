"""The agent's log as files of bounded size. Python's own output at a crash goes there too."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path

_MEGABYTE = 1024 * 1024


@dataclass(frozen=True, slots=True)
class LogPlace:
    """`files` files of `megabytes` each: the newest at `path`, older ones at `path`.1, `path`.2 and so on."""

    path: Path
    megabytes: float = 10.0
    files: int = 3

    def rotate(self) -> bool:
        """Rotate the files if the newest one is full. Returns whether it did."""
        try:
            if self.path.stat().st_size < self.megabytes * _MEGABYTE:
                return False
            for number in range(self.files - 2, 0, -1):
                older = self._numbered(number)
                if older.exists():
                    older.replace(self._numbered(number + 1))
            if self.files > 1:
                self.path.replace(self._numbered(1))
            else:
                os.truncate(self.path, 0)
        except OSError:
            return False
        return True

    def _numbered(self, number: int) -> Path:
        return self.path.with_name(f"{self.path.name}.{number}")


class RotatedOutput:
    """Writes to standard error. If that is the file of `place`, rotates it when it is full."""

    def __init__(self, place: LogPlace | None) -> None:
        self._place = place if place and _leads_to(place.path) else None

    def write(self, text: str) -> None:
        """Ignores OSError: a closed pipe or a full disk must not prevent an orderly stop of the instances."""
        try:
            sys.stderr.write(text)
            sys.stderr.flush()
            if self._place and self._place.rotate():
                _lead_to(self._place.path)
        except OSError:
            pass

    def flush(self) -> None:
        """Does nothing: `write` flushes."""


def _leads_to(path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(sys.stderr.fileno()), path.stat())
    except OSError:
        return False


def _lead_to(path: Path) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(descriptor, sys.stdout.fileno())
    os.dup2(descriptor, sys.stderr.fileno())
    os.close(descriptor)
