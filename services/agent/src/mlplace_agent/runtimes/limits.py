"""Hard limits of instances: what is measured how often, and how a run that exceeds one ends."""

import asyncio
import math
import os
import stat
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mlplace_agent.runtimes.port import KILLED, Ended

OUT_OF_MEMORY = "OOMKilled"
DISK_LIMIT = "DiskLimitExceeded"

_DISK_SECONDS = 2.0
_PAUSES = 9.0
"""Measuring takes at most a tenth of the time: a pause is this many times as long as the measurement before it."""
_BLOCK_BYTES = 512
_LEAST_FILE_BYTES = 4096
_MIB = 2**20


def memory_exceeded(*, limit: int, used: int | None = None, exit_code: int = KILLED) -> Ended:
    """`used`: None if the system ended the run, which lets it use no more than the limit."""
    if used is None:
        text = f"The instance used all of its memory limit of {_mib(limit)} MiB and needed more"
    else:
        text = f"The instance used {_above(used)} MiB of memory; its limit is {_mib(limit)} MiB"
    return Ended(exit_code, OUT_OF_MEMORY, text)


def disk_exceeded(*, limit: int, used: int) -> Ended:
    text = f"The files of the instance took {_above(used)} MiB of disk; its limit is {_mib(limit)} MiB"
    return Ended(KILLED, DISK_LIMIT, text)


def _mib(amount: int) -> str:
    return f"{amount / _MIB:.1f}".removesuffix(".0")


def _above(amount: int) -> str:
    """Rounds up, so that a use just above a limit does not look equal to it."""
    return f"{math.ceil(amount / _MIB * 10) / 10:.1f}".removesuffix(".0")


def folder_bytes(folder: Path, *, enough: int | None = None) -> int:
    """Returns what the folder's files take on the disk; stops counting somewhere above `enough`.

    Each entry counts as 4 KiB at least: empty files take room in the file system, too. A hard-linked file counts once.
    """
    total, seen, folders = 0, set[tuple[int, int]](), [os.fspath(folder)]
    while folders:
        try:
            entries = os.scandir(folders.pop())
        except OSError:
            continue  # it was removed meanwhile
        with entries:
            for entry in entries:
                try:
                    found = entry.stat(follow_symlinks=False)
                except OSError:
                    continue
                if stat.S_ISDIR(found.st_mode):
                    folders.append(entry.path)
                elif found.st_nlink > 1:
                    if (found.st_dev, found.st_ino) in seen:
                        continue
                    seen.add((found.st_dev, found.st_ino))
                total += max(found.st_blocks * _BLOCK_BYTES, _LEAST_FILE_BYTES)
                if enough is not None and total > enough:
                    return total
    return total


class DiskWatch:
    """Measures what runs hold on the disk, each at its own pace, in threads of its own."""

    def __init__(self, *, seconds: float = _DISK_SECONDS) -> None:
        self._seconds = seconds
        self._threads = ThreadPoolExecutor(2, thread_name_prefix="disk-use")

    async def follow(
        self,
        measure: Callable[[], int | None],
        *,
        limit: int | None,
        note: Callable[[int], None],
        end: Callable[[Ended], Awaitable[None]],
    ) -> None:
        """Tells `note` what the run holds until it exceeds the limit; then calls `end`.

        `measure` runs in a thread. It returns None when it cannot tell.
        """
        loop = asyncio.get_running_loop()
        while True:
            began = loop.time()
            used = await loop.run_in_executor(self._threads, measure)
            if used is not None:
                note(used)
                if limit is not None and used > limit:
                    await end(disk_exceeded(limit=limit, used=used))
                    return
            await asyncio.sleep(max(self._seconds, _PAUSES * (loop.time() - began)))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)
