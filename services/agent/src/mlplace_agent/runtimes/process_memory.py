"""Measures the memory of runs that are plain processes. One look at the system's processes serves all runs."""

import asyncio
import os
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

from mlplace_agent.runtimes.leftovers import mark_of
from mlplace_agent.runtimes.limits import memory_exceeded
from mlplace_agent.runtimes.port import Ended

_SECONDS = 0.5
_PAUSES = 9.0
_RESIDENT = re.compile(r"^(?:VmRSS|VmSwap):\s+(\d+) kB$", re.MULTILINE)
_OWN = re.compile(r"^(?:Pss_Anon|Pss_Shmem|SwapPss):\s+(\d+) kB$", re.MULTILINE)
_KIB = 1024


@dataclass(frozen=True, slots=True)
class Watched:
    """`leader`: the process that leads the session of the run. `end` is called when the limit is exceeded."""

    leader: int
    limit: int
    end: Callable[[Ended], None]


class MemoryWatch:
    """Ends runs that use more memory than their limit. It measures while there are runs."""

    def __init__(self, *, seconds: float = _SECONDS) -> None:
        self._seconds = seconds
        self._runs: dict[str, Watched] = {}
        self._marks: dict[int, str | None] = {}
        self._task: asyncio.Task[None] | None = None

    def add(self, mark: str, run: Watched) -> None:
        self._runs[mark] = run
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._watch(), name="memory-watch")

    def remove(self, mark: str) -> None:
        self._runs.pop(mark, None)

    async def close(self) -> None:
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    async def _watch(self) -> None:
        loop = asyncio.get_running_loop()
        while self._runs:
            began = loop.time()
            runs = dict(self._runs)
            for mark, used in (await asyncio.to_thread(self._exceeding, runs)).items():
                if mark in self._runs:
                    runs[mark].end(memory_exceeded(limit=runs[mark].limit, used=used))
            await asyncio.sleep(max(self._seconds, _PAUSES * (loop.time() - began)))

    def _exceeding(self, runs: Mapping[str, Watched]) -> dict[str, int]:
        """Returns what the runs above their limit use.

        The sum of resident memory, which counts shared pages several times and pages of files, is cheap to read. Only
        where it exceeds the limit, the memory is measured that the run alone occupies.
        """
        found: dict[str, int] = {}
        for mark, pids in self._members(runs).items():
            limit = runs[mark].limit
            if sum(map(_resident, pids)) > limit and (used := sum(map(_own, pids))) > limit:
                found[mark] = used
        return found

    def _members(self, runs: Mapping[str, Watched]) -> Mapping[str, list[int]]:
        """Returns the processes of each run: those of its session, and those with its mark that left the session."""
        by_leader = {run.leader: mark for mark, run in runs.items()}
        pids = psutil.pids()
        known, self._marks = self._marks, {}
        members = defaultdict[str, list[int]](list)
        for pid in pids:
            try:
                mark = by_leader.get(os.getsid(pid))
                if mark is None:
                    mark = self._marks[pid] = known[pid] if pid in known else mark_of(psutil.Process(pid))
            except (ProcessLookupError, PermissionError, psutil.NoSuchProcess):
                continue
            if mark is not None and mark in runs:
                members[mark].append(pid)
        return members


def _resident(pid: int) -> int:
    """Returns bytes in memory and in swap; 0 for a process that has ended."""
    try:
        return _sum(_RESIDENT, f"/proc/{pid}/status")
    except OSError:
        return _resident_elsewhere(pid)


def _own(pid: int) -> int:
    """Returns bytes that are not of files, where shared ones count in part; what is resident if that is unknown."""
    try:
        return _sum(_OWN, f"/proc/{pid}/smaps_rollup") or _resident(pid)
    except OSError:
        return _resident(pid)


def _sum(pattern: re.Pattern[str], path: str) -> int:
    return _KIB * sum(
        int(number) for number in pattern.findall(Path(path).read_text(encoding="ascii", errors="replace"))
    )


def _resident_elsewhere(pid: int) -> int:
    """Systems without /proc."""
    try:
        return int(psutil.Process(pid).memory_info().rss)
    except psutil.Error:
        return 0
