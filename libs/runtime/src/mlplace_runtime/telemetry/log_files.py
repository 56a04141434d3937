"""Log files of bounded size."""

import io
import logging
import os
from logging.handlers import RotatingFileHandler
from pathlib import Path

_MEGABYTE = 1024 * 1024


class LogFile(RotatingFileHandler):
    """Up to `files` files of `megabytes` each: the newest at `path`, older ones at `path`.1, `path`.2 and so on.

    Only the owner can read them. Disk errors are neither raised nor printed: nothing stops because of its log.
    """

    def __init__(self, path: Path, *, megabytes: float, files: int) -> None:
        size = max(1, round(megabytes * _MEGABYTE))
        super().__init__(path, maxBytes=size, backupCount=max(0, files - 1), encoding="utf-8", delay=True)

    def _open(self) -> io.TextIOWrapper:
        descriptor = os.open(self.baseFilename, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW, 0o600)
        return os.fdopen(descriptor, "a", encoding="utf-8", errors="replace")

    def doRollover(self) -> None:  # noqa: N802  the base class names it
        if self.backupCount == 0 and self.stream:
            self.stream.truncate(0)
            return
        super().doRollover()

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802  as above
        """Ignores the error: see above."""

    def line(self, text: str) -> None:
        """Writes a line of another program unchanged."""
        self.handle(logging.makeLogRecord({"msg": text}))
