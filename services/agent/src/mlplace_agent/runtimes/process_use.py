"""What the processes of a run use: those of its session, with what their ended children had used."""

import os
from typing import Final

import psutil

from mlplace_agent.runtimes.port import RunUse

_NANO: Final = 1_000_000_000


def use_of_session(leader: int) -> RunUse | None:
    """Returns None if no process of the session can be read."""
    cpu_seconds, ram_bytes, found = 0.0, 0, False
    for pid in psutil.pids():
        try:
            if os.getsid(pid) != leader:
                continue
            process = psutil.Process(pid)
            times, memory = process.cpu_times(), process.memory_info()
        except (ProcessLookupError, PermissionError, psutil.Error):
            continue
        found = True
        cpu_seconds += times.user + times.system
        cpu_seconds += getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)
        ram_bytes += int(memory.rss)
    return RunUse(round(cpu_seconds * _NANO), ram_bytes) if found else None
