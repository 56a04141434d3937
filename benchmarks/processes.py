"""Starts processes and reads their processor time and memory."""

import os
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from benchmarks.machine import on

ROOT = Path(__file__).resolve().parents[1]
_READY_SECONDS = 120.0
_SCHEDULER_CLOCK = 2  # the number of a process's clock, as composed by clock_getcpuclockid(3)


def most_open_files() -> int:
    """Raise the limit of open files of this process and its children to the hard limit; return it."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return hard


@contextmanager
def running(
    command: Sequence[str], *, cores: frozenset[int], log: Path, env: Mapping[str, str] | None = None
) -> Generator[subprocess.Popen[bytes]]:
    with log.open("ab") as output, on(cores):
        process = subprocess.Popen(
            command, cwd=ROOT, env={**os.environ, **(env or {})}, stdout=output, stderr=output, stdin=subprocess.DEVNULL
        )
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def module(name: str, *arguments: object) -> list[str]:
    return [sys.executable, "-m", name, *map(str, arguments)]


def wait_for_port(port: int, process: subprocess.Popen[bytes], log: Path) -> None:
    """Wait until the port accepts connections. Raises RuntimeError with the output of the process."""
    deadline = time.monotonic() + _READY_SECONDS
    while process.poll() is None and time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise RuntimeError(f"nobody listens on port {port}:\n{log.read_text()[-2000:]}")


def cpu_seconds(pids: Sequence[int]) -> float:
    """Processor time that the processes have used so far, including ended threads."""
    return sum(_cpu_seconds(pid) for pid in pids)


def resident_bytes(pid: int) -> float:
    """The current value. Resets the maximum for `most_resident_bytes`: proc(5), clear_refs."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    return _status(pid, "VmRSS")


def most_resident_bytes(pid: int) -> float:
    return _status(pid, "VmHWM")


def _status(pid: int, name: str) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(float(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def _cpu_seconds(pid: int) -> float:
    """In nanoseconds if the kernel has a clock for each process, else in its ticks."""
    if sys.platform == "linux":
        return time.clock_gettime((~pid << 3) | _SCHEDULER_CLOCK)
    times = psutil.Process(pid).cpu_times()
    return times.user + times.system
