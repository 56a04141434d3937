"""A state file of the started processes, so that the next agent can kill those that a killed agent left running."""

import os
import signal
from pathlib import Path

import psutil
import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from mlplace_agent.identity import write_private
from mlplace_contracts.environment import RUN_MARK

log = structlog.get_logger(__name__)
_SAME_START_SECONDS = 1.0
_ROUNDS = 20


class Started(BaseModel):
    """`created` is the start time of the process in Unix seconds: the process id alone may have been reused.

    Without a process id, the run was about to start: only processes with its mark can be of it.
    """

    model_config = ConfigDict(frozen=True)

    pid: int | None = None
    created: float = 0.0
    mark: str


class _File(BaseModel):
    started: tuple[Started, ...] = ()


def creation_time(pid: int) -> float | None:
    """Unix seconds; None if there is no such process."""
    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return None


class Leftovers:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._started: dict[str, Started] = {}

    def announce(self, mark: str) -> None:
        """Store the mark of a run before it starts: an agent killed right after the start leaves no unknown process."""
        self._started[mark] = Started(mark=mark)
        self._write()

    def note(self, pid: int, mark: str) -> None:
        created = creation_time(pid)
        if created is not None:
            self._started[mark] = Started(pid=pid, created=created, mark=mark)
            self._write()

    def forget(self, mark: str) -> None:
        if self._started.pop(mark, None):
            self._write()

    def _write(self) -> None:
        write_private(self._path, _File(started=tuple(self._started.values())).model_dump_json().encode())

    def remove_leftovers(self) -> int:
        """Kill the process groups that an earlier agent left, and processes with their marks outside the groups."""
        earlier = self._read()
        killed = sum(_kill_group(entry) for entry in earlier)
        killed += kill_marked({entry.mark for entry in earlier})
        self._path.unlink(missing_ok=True)
        return killed

    def _read(self) -> tuple[Started, ...]:
        try:
            return _File.model_validate_json(self._path.read_bytes()).started
        except FileNotFoundError:
            return ()
        except ValidationError:
            log.warning("state_file_damaged", path=str(self._path))
            return ()


def _kill_group(entry: Started) -> int:
    """Kill the group only if its leader is still the noted process: same start time and same mark."""
    if entry.pid is None:
        return 0
    created = creation_time(entry.pid)
    if created is None or abs(created - entry.created) > _SAME_START_SECONDS or not _has_mark(entry):
        return 0
    return kill_group(entry.pid)


def _has_mark(entry: Started) -> bool:
    try:
        return mark_of(psutil.Process(entry.pid)) == entry.mark
    except psutil.NoSuchProcess:
        return False


def kill_group(leader: int) -> int:
    """Returns 1 if there was a group to kill, else 0."""
    try:
        os.killpg(leader, signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1


def kill_marked(marks: set[str]) -> int:
    """Kill processes with these marks, also those that they start meanwhile. Returns how many there were.

    A killed process may still be found: it counts once.
    """
    killed: set[psutil.Process] = set()
    for _ in range(_ROUNDS):
        found = [process for process in psutil.process_iter() if mark_of(process) in marks] if marks else []
        if not found:
            break
        killed.update(process for process in found if _kill(process))
    return len(killed)


def mark_of(process: psutil.Process) -> str | None:
    try:
        return process.environ().get(RUN_MARK)
    except (psutil.Error, OSError):
        return None


def _kill(process: psutil.Process) -> bool:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return False
    return True
