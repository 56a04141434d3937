"""Probe files that tell a supervisor that the process has started and is alive."""

import time
from contextlib import suppress
from pathlib import Path


class Probes:
    """Writes Unix seconds to the files. Ignores errors, such as a read-only file system."""

    def __init__(self, *, startup: Path, liveness: Path) -> None:
        self._startup = startup
        self._liveness = liveness

    def started(self) -> None:
        _stamp(self._startup)

    def alive(self) -> None:
        _stamp(self._liveness)


def _stamp(path: Path) -> None:
    with suppress(OSError):
        path.write_text(str(int(time.time())), encoding="ascii")
