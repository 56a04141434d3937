"""Finds and stops PostgreSQL processes that outlived their parent, identified by folder, program, id and start time.

It signals no other process.
"""

import contextlib
import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import structlog
from pydantic import BaseModel, ConfigDict, ValidationError

from mlplace_runtime.db.embedded.cluster import unfinished
from mlplace_runtime.db.embedded.errors import FolderInUseError, StartInterruptedError
from mlplace_runtime.db.embedded.identity import ServerUser
from mlplace_runtime.db.embedded.programs import installation
from mlplace_runtime.private_files import write_private
from mlplace_runtime.process_identity import ProcessIdentity, program_of, works_in

log = structlog.get_logger(__name__)

_SERVER = "postgres"
_PROGRAMS = frozenset({_SERVER, "initdb"})
_MARK = "platform.process.json"
_START_TOLERANCE_SECONDS = 10.0
_STOP_SECONDS = 60.0
_HARD_STOP_SECONDS = 20.0
_LOOK_SECONDS = 0.05


class _Mark(BaseModel):
    model_config = ConfigDict(frozen=True)

    pid: int
    started: float
    boot: str


@dataclass(frozen=True, slots=True)
class PidFile:
    """The server's id and start time (Unix seconds) according to `postmaster.pid`."""

    pid: int
    started: float
    status: str = ""

    @classmethod
    def read(cls, folder: Path) -> "PidFile | None":
        """Returns None if the file is missing or unreadable."""
        try:
            lines = (folder / "postmaster.pid").read_text(errors="replace").splitlines()
            return cls(abs(int(lines[0])), float(lines[2]), lines[7].strip() if len(lines) > 7 else "")
        except (OSError, ValueError, IndexError):
            return None


def note_server(folder: Path, pid: int, user: ServerUser) -> None:
    """Records the server's identity, so that the next start recognizes it for certain."""
    identity = ProcessIdentity.of(pid)
    if identity:
        mark = _Mark(pid=identity.pid, started=identity.started, boot=identity.boot)
        write_private(folder / _MARK, mark.model_dump_json(), owner=user.owner)


def find_server(folder: Path) -> ProcessIdentity | None:
    """Returns the main process of the server that runs on this folder."""
    claim = PidFile.read(folder)
    identity = ProcessIdentity.of(claim.pid) if claim else None
    if claim is None or identity is None or program_of(claim.pid) != _SERVER or not works_in(claim.pid, folder):
        return None
    mark = _mark(folder)
    if mark and mark.pid == claim.pid:
        return identity if (mark.started, mark.boot) == (identity.started, identity.boot) else None
    return identity if abs(_created(claim.pid) - claim.started) <= _START_TOLERANCE_SECONDS else None


def end_leftover(folder: Path, interrupted: threading.Event | None = None) -> None:
    """Stops a server that a crash left running on the folder, and removes the pid file of a server that is gone.

    Kills whatever still works on an incomplete cluster, since nobody will use it. Raises FolderInUseError if a process
    of PostgreSQL still works on one of the folders afterwards.
    """
    interrupted = interrupted or threading.Event()
    for making in unfinished(folder):
        _kill_all(making, interrupted)
    if not folder.is_dir():
        return
    _end_all(folder, interrupted)
    claim = PidFile.read(folder)
    if claim is None or psutil.pid_exists(claim.pid):
        # With a pid file that names any running process, or that is unreadable, PostgreSQL refuses to start.
        (folder / "postmaster.pid").unlink(missing_ok=True)
        for socket in (*folder.glob(".s.PGSQL.*"), *folder.glob("sockets/.s.PGSQL.*")):
            socket.unlink(missing_ok=True)


def _end(server: ProcessIdentity, interrupted: threading.Event) -> None:
    """Tries a fast shutdown, then an immediate one; both keep committed data."""
    for number, seconds in ((signal.SIGINT, _STOP_SECONDS), (signal.SIGQUIT, _HARD_STOP_SECONDS)):
        if server.is_alive:
            os.kill(server.pid, number)
        deadline = time.monotonic() + seconds
        while server.is_alive and time.monotonic() < deadline:
            if interrupted.wait(_LOOK_SECONDS):
                raise StartInterruptedError


def _end_all(folder: Path, interrupted: threading.Event) -> None:
    """Also stops a server that has only begun and writes its pid file a moment later.

    Waits for the children of a killed server, which end by themselves: two servers must never write at the same time.
    """
    deadline = time.monotonic() + _HARD_STOP_SECONDS
    while left := _workers(folder):
        found = find_server(folder)
        if found:
            log.warning("leftover_database_server_found", pid=found.pid)
            _end(found, interrupted)
            deadline = time.monotonic() + _HARD_STOP_SECONDS
        elif time.monotonic() >= deadline:
            raise FolderInUseError(folder, left[0])
        elif interrupted.wait(_LOOK_SECONDS):
            raise StartInterruptedError


def _kill_all(making: Path, interrupted: threading.Event) -> None:
    """Kills the workers: `initdb` dies with its parent, but the server that it started does not."""
    deadline = time.monotonic() + _HARD_STOP_SECONDS
    while left := _workers(making):
        if time.monotonic() >= deadline:
            raise FolderInUseError(making, left[0])
        for pid in left:
            if _is_named(pid, _command_of(pid)):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        if interrupted.wait(_LOOK_SECONDS):
            raise StartInterruptedError


def _workers(folder: Path) -> list[int]:
    return [
        process.pid
        for process in psutil.process_iter()
        if works_in(process.pid, folder) and _is_of_postgres(process.pid) and ProcessIdentity.of(process.pid)
    ]


def _is_of_postgres(pid: int) -> bool:
    """Also matches processes about to become one: our launcher, the shell that `initdb` uses, and what has no command
    line yet.
    """
    command = _command_of(pid)  # once: it may appear between two looks
    return command == "" or _is_named(pid, command)


def _is_named(pid: int, command: str | None) -> bool:
    return program_of(pid) in _PROGRAMS or str(installation()) in (command or "")


def _command_of(pid: int) -> str | None:
    """Returns the command line, None without such a process. It is empty while the system replaces the program."""
    try:
        return " ".join(psutil.Process(pid).cmdline())
    except psutil.Error:
        return None


def _mark(folder: Path) -> _Mark | None:
    try:
        return _Mark.model_validate_json((folder / _MARK).read_bytes())
    except (FileNotFoundError, ValidationError):
        return None


def _created(pid: int) -> float:
    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return 0.0
