"""The thread that does the spool's blocking disk work."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

_Value = TypeVar("_Value")


class DiskThread:
    """Runs one piece of work after the other. The thread starts with the first one, also after `close`."""

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None

    async def do(self, work: Callable[[], _Value]) -> _Value:
        if self._pool is None:
            self._pool = ThreadPoolExecutor(max_workers=1, thread_name_prefix="usage-spool")
        return await asyncio.get_running_loop().run_in_executor(self._pool, work)

    def close(self) -> None:
        """Stops the thread. No work may be in progress."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
