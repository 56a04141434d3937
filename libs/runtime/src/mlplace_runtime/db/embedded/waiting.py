"""Waits for a starting server as long as it makes progress: after a crash it replays its WAL first."""

import subprocess
import threading
import time
from collections.abc import Callable

import psutil

from mlplace_runtime.db.embedded.errors import (
    DatabaseDiskFullError,
    ServerFailedError,
    ServerSilentError,
    StartInterruptedError,
)
from mlplace_runtime.db.embedded.launcher import NOT_PERMITTED
from mlplace_runtime.db.embedded.leftover import PidFile
from mlplace_runtime.db.embedded.output import Lines, ServerOutput, reason_of
from mlplace_runtime.db.embedded.programs import ProgramLauncher

_READY = "ready"
_LOOK_SECONDS = 0.03
_SIGN_SECONDS = 1.0
_SILENT_SECONDS = 120.0
_FIRST_WORD_SECONDS = 2.0
_WORD_SECONDS = 5.0


def wait_until_ready(
    process: "subprocess.Popen[bytes]",
    launch: ProgramLauncher,
    output: ServerOutput,
    *,
    interrupted: threading.Event,
    say: Callable[[str], None],
    silent_seconds: float = _SILENT_SECONDS,
) -> None:
    """Raises EmbeddedServerError if the server ended, was interrupted, or did nothing for `silent_seconds`."""
    lines, reader = output.follow(process)
    watch = _Watch(process, lines, say)
    while (claim := PidFile.read(launch.folder)) is None or claim.pid != process.pid or claim.status != _READY:
        if process.poll() is not None:
            reader.join(_SIGN_SECONDS)
            raise _failure(process, launch, output, lines)
        if interrupted.wait(_LOOK_SECONDS):
            raise StartInterruptedError
        if watch.silent_for() > silent_seconds:
            raise ServerSilentError(silent_seconds, output.path)


def _failure(
    process: "subprocess.Popen[bytes]", launch: ProgramLauncher, output: ServerOutput, lines: Lines
) -> Exception:
    if process.returncode == NOT_PERMITTED:
        return launch.unreachable()
    if lines.disk_full:
        return DatabaseDiskFullError(launch.folder)
    return ServerFailedError("The databases did not start", reason_of(lines), output.path)


class _Watch:
    """Tells a working server from a hanging one by its output, CPU time and I/O, and reports progress to the user."""

    def __init__(self, process: "subprocess.Popen[bytes]", lines: Lines, say: Callable[[str], None]) -> None:
        self._process = process
        self._lines = lines
        self._say = say
        self._began = self._changed = self._looked = time.monotonic()
        self._said = self._began + _FIRST_WORD_SECONDS - _WORD_SECONDS
        self._sign: object = None

    def silent_for(self) -> float:
        now = time.monotonic()
        if now - self._looked > _SIGN_SECONDS:
            self._looked = now
            sign = (self._lines.count, _work_of(self._process.pid))
            if sign != self._sign:
                self._sign, self._changed = sign, now
            self._tell(now)
        return now - self._changed

    def _tell(self, now: float) -> None:
        if now - self._said < _WORD_SECONDS:
            return
        self._said = now
        so_far = f"{now - self._began:.0f} s so far"
        if self._lines.recovering:
            self._say(
                f"The databases recover after a crash: {self._lines.replayed_megabytes} MB replayed, {so_far} ..."
            )
        else:
            self._say(f"The databases are starting: {so_far} ...")


def _work_of(pid: int) -> tuple[float, int]:
    """Returns the CPU seconds and the bytes read and written by the server and all its children."""
    seconds, size = 0.0, 0
    try:
        main = psutil.Process(pid)
        for process in (main, *main.children(recursive=True)):
            times = process.cpu_times()
            seconds += times.user + times.system
            if hasattr(process, "io_counters"):
                counters = process.io_counters()
                size += counters.read_chars + counters.write_chars
    except psutil.Error:
        pass  # a process has just ended; the next look corrects this
    return seconds, size
