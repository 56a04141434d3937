"""Describes the machine, and assigns cores to processes."""

import os
import platform
import subprocess
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

_PACKAGES = ("uvicorn", "uvloop", "httptools", "fastapi", "httpx", "grpcio", "protobuf", "sqlalchemy", "asyncpg")


@dataclass(frozen=True, slots=True)
class Cores:
    """`measured` is for the measured process, `others` for everything else, including the load."""

    measured: frozenset[int]
    others: frozenset[int]
    pinned: bool

    @classmethod
    def split(cls) -> "Cores":
        """The last core is measured. Nothing is pinned if there is one core or the system cannot pin."""
        if not hasattr(os, "sched_getaffinity"):
            return cls(frozenset(), frozenset(), pinned=False)
        usable = sorted(os.sched_getaffinity(0))
        if len(usable) == 1:
            return cls(frozenset(usable), frozenset(usable), pinned=False)
        return cls(frozenset(usable[-1:]), frozenset(usable[:-1]), pinned=True)


@contextmanager
def on(cores: frozenset[int]) -> Generator[None]:
    """Processes started within this context run on these cores, with all their threads and children."""
    if not cores:
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def pin(pid: int, cores: frozenset[int]) -> None:
    """Move a running process with all its threads."""
    if cores:
        for thread in Path(f"/proc/{pid}/task").iterdir():
            os.sched_setaffinity(int(thread.name), cores)


def describe(cores: Cores) -> dict[str, object]:
    """Contains nothing that identifies the machine, its user or its folders."""
    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count(),
        "pinned": cores.pinned,
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "packages": {name: version(name) for name in _PACKAGES},
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": _commit(),
        "load_average_at_start": round(os.getloadavg()[0], 1),
    }


def _cpu_model() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown")


def _commit() -> str:
    found = subprocess.run(
        ["git", "rev-parse", "--short=10", "HEAD"],
        capture_output=True,
        check=False,
        text=True,
        cwd=Path(__file__).parent,
    )
    return found.stdout.strip() or "unknown"
