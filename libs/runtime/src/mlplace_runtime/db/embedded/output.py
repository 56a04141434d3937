"""Collects the output of PostgreSQL in a file of bounded size, and parses what matters during the start."""

import contextlib
import re
import subprocess
import threading
from collections import deque
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from mlplace_runtime.telemetry.log_files import LogFile

_KEPT_LINES = 50
_DRAIN_SECONDS = 2.0
_REASON = re.compile(r"\b(?:FATAL|PANIC|ERROR|error): +(?P<text>.+)")
_PROGRESS = re.compile(r"(?P<what>redo|syncing data directory.*|resetting unlogged relations.*) in progress|"
                       r"syncing data directory|current LSN|redo starts at|automatic recovery in progress")  # fmt: skip
_AT = re.compile(r"(?:redo starts at|current LSN:) (?P<high>[0-9A-F]+)/(?P<low>[0-9A-F]+)")
_MEGABYTE = 1024 * 1024


@dataclass
class Lines:
    """The last lines of one process. `count` counts all lines; `first` and `now` are byte positions in the WAL."""

    last: deque[str] = field(default_factory=lambda: deque[str](maxlen=_KEPT_LINES))
    count: int = 0
    recovering: bool = False
    first: int | None = None
    now: int | None = None

    def add(self, line: str) -> None:
        self.last.append(line)
        self.count += 1
        if _PROGRESS.search(line):
            self.recovering = True
        if at := _AT.search(line):
            self.now = (int(at["high"], 16) << 32) + int(at["low"], 16)
            self.first = self.now if self.first is None else self.first

    @property
    def disk_full(self) -> bool:
        return any("No space left on device" in line or "Disk quota exceeded" in line for line in self.last)

    @property
    def replayed_megabytes(self) -> int:
        return ((self.now or 0) - (self.first or 0)) // _MEGABYTE


class ServerOutput:
    """`path` is the log file. One thread per process reads, so that the server never blocks on its output."""

    def __init__(self, path: Path, *, megabytes: float, files: int) -> None:
        self.path = path
        self._limits = (megabytes, files)

    @contextmanager
    def of(self, process: "subprocess.Popen[bytes]") -> Generator[Lines]:
        lines, reader = self.follow(process)
        try:
            yield lines
        finally:
            reader.join(_DRAIN_SECONDS)

    def follow(self, process: "subprocess.Popen[bytes]") -> tuple[Lines, threading.Thread]:
        """Reads until the process and all processes that it started have closed their output."""
        lines = Lines()
        reader = threading.Thread(target=self._read, args=(process, lines), name="postgres-output", daemon=True)
        reader.start()
        return lines, reader

    def _read(self, process: "subprocess.Popen[bytes]", lines: Lines) -> None:
        megabytes, files = self._limits
        log = LogFile(self.path, megabytes=megabytes, files=files)
        if process.stdout is None:
            return
        with contextlib.closing(log), process.stdout as stream:
            for raw in stream:
                line = raw.decode("utf-8", errors="replace").rstrip()
                lines.add(line)
                log.line(line)


def reason_of(lines: Lines) -> str:
    """Returns the last error message, or else the last line."""
    complaints = [found["text"] for line in lines.last if (found := _REASON.search(line))]
    return (complaints or [line for line in lines.last if line] or [""])[-1].rstrip(".")
