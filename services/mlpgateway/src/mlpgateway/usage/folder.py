"""The folder of all spools of a host. Each process has its own log there, and adopts the logs of dead processes.

A log belongs to the process that holds the lock on its file `lock`; the system releases the lock when the process ends.
Process logs are created, adopted and removed by one process at a time, under the lock of the folder itself.
"""

import fcntl
import os
import time
import uuid
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import structlog

from mlpgateway.usage.process_log import ProcessLog
from mlpgateway.usage.segment import sync_folder

_PREFIX: Final = "lane-"

log = structlog.get_logger(__name__)


class SpoolFolder:
    """The methods do blocking disk work, and raise OSError."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def new_process_log(self) -> ProcessLog:
        with self._alone():
            folder = self._root / f"{_PREFIX}{time.time_ns():020d}-{uuid.uuid4().hex[:8]}"
            folder.mkdir(mode=0o700)
            lock = _open(folder / "lock")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX)
                sync_folder(self._root)
                return ProcessLog(folder, lock, open_ended=True)
            except BaseException:
                os.close(lock)  # otherwise nobody could adopt the log while this process lives
                raise

    def adopt(self) -> list[ProcessLog]:
        """Returns the logs of dead processes, oldest first. They now belong to this process."""
        with self._alone():
            found = [_adopted(folder) for folder in sorted(self._root.glob(f"{_PREFIX}*"))]
        return [process_log for process_log in found if process_log]

    def close(self, process_log: ProcessLog) -> None:
        with self._alone():
            process_log.close()

    @contextmanager
    def _alone(self) -> Generator[None]:
        self._root.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = _open(self._root / ".lock")
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
        finally:
            os.close(file)


def _adopted(folder: Path) -> ProcessLog | None:
    """Returns None when its process lives or when it is unreadable: one bad file must not keep a gate from starting."""
    lock = -1
    try:
        lock = _open(folder / "lock")
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return ProcessLog.adopt(folder, lock)
    except OSError as error:
        if not isinstance(error, BlockingIOError):
            log.warning("usage_spool_unreadable", process_log=folder.name, error=repr(error))
        if lock >= 0:
            os.close(lock)
        return None


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
