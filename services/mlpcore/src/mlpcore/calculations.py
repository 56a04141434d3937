"""Calculations that take tenths of a second of the processor. They run beside the event loop, one after the other."""

import asyncio
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

from mlpcore.errors import TooManyCalculations

_Result = TypeVar("_Result")
_MOST: Final = 4


class Calculations:
    """A process takes at most four at a time, and one of an account: each holds a connection to the database."""

    def __init__(self) -> None:
        self._accounts: set[int] = set()
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="calculation")

    @contextmanager
    def slot(self, account_id: int) -> Generator[None]:
        """Raises TooManyCalculations."""
        if account_id in self._accounts or len(self._accounts) >= _MOST:
            raise TooManyCalculations
        self._accounts.add(account_id)
        try:
            yield
        finally:
            self._accounts.discard(account_id)

    def close(self) -> None:
        """Waits for the calculation in progress, at most one, and drops those that wait."""
        self._thread.shutdown(cancel_futures=True)

    async def run(self, calculate: Callable[[], _Result]) -> _Result:
        """Must be called within `slot`."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, calculate)
