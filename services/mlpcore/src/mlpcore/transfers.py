"""Bounds the uploads and conversions of files that are in progress, and the programs that work on them."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Generator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from typing import ClassVar, Final

_LONG_AT_ONCE: Final = 2
_BRIEF_AT_ONCE: Final = 1
_BRIEF_OF_ACCOUNT: Final = 2
"""One that runs, and one that waits."""
_LONG_WAIT: Final = 600.0
_BRIEF_WAIT: Final = 20.0


class TransfersFullError(Exception):
    """The account has as many transfers in progress as it may, which are `limit`."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        super().__init__(limit)


class TransfersBusyError(Exception):
    """The process has no place, or no turn, for the account."""


class Transfers:
    """Each transfer has one or two temporary files, so their number bounds the disk that they take."""

    of_account: ClassVar[int] = 4
    of_process: ClassVar[int] = 32
    for_newcomers: ClassVar[int] = 12
    """Places for accounts that hold none: a few accounts with slow transfers cannot take them."""

    def __init__(self) -> None:
        self._accounts = Counter[int]()
        self._long = asyncio.Semaphore(_LONG_AT_ONCE)
        self._brief = asyncio.Semaphore(_BRIEF_AT_ONCE)
        self._turns: dict[int, asyncio.Lock] = {}
        self._brief_turns: dict[int, asyncio.Lock] = {}
        self._brief_of_account = Counter[int]()

    @property
    def in_progress(self) -> int:
        return self._accounts.total()

    @contextmanager
    def place(self, account_id: int) -> Generator[None]:
        """Raises TransfersFullError, TransfersBusyError."""
        held = self._accounts[account_id]
        if held >= self.of_account:
            raise TransfersFullError(self.of_account)
        if self._accounts.total() >= self.of_process - (self.for_newcomers if held else 0):
            raise TransfersBusyError
        self._accounts[account_id] += 1
        try:
            yield
        finally:
            self._accounts[account_id] -= 1
            if not self._accounts[account_id]:
                del self._accounts[account_id]
                self._turns.pop(account_id, None)
                self._brief_turns.pop(account_id, None)

    @asynccontextmanager
    async def turn(self, account_id: int, *, brief: bool = False) -> AsyncGenerator[None]:
        """Waits until a program may run: two at a time, and one of an account; beside them one that is `brief`.

        Must be used within `place`. One program of an account waits among those of the others, so no account fills the
        queue. After ten minutes, a brief one after 20 s, raises TransfersFullError if the account's own program still
        runs, else TransfersBusyError; raises TransfersFullError at once if the account has a brief one waiting already.
        """
        turns = self._brief_turns if brief else self._turns
        own = turns.setdefault(account_id, asyncio.Lock())
        has_own = False
        async with AsyncExitStack() as held:
            if brief:
                held.enter_context(self._brief_place(account_id))
            try:
                async with asyncio.timeout(_BRIEF_WAIT if brief else _LONG_WAIT):
                    await held.enter_async_context(own)
                    has_own = True
                    await held.enter_async_context(self._brief if brief else self._long)
            except TimeoutError:
                raise (TransfersBusyError() if has_own else TransfersFullError(1)) from None
            yield

    @contextmanager
    def _brief_place(self, account_id: int) -> Generator[None]:
        """Raises TransfersFullError."""
        if self._brief_of_account[account_id] >= _BRIEF_OF_ACCOUNT:
            raise TransfersFullError(_BRIEF_OF_ACCOUNT)
        self._brief_of_account[account_id] += 1
        try:
            yield
        finally:
            self._brief_of_account[account_id] -= 1
            if not self._brief_of_account[account_id]:
                del self._brief_of_account[account_id]


class ObjectTransfers(Transfers):
    """Uploads of objects in progress. Usual clients send ten parts at once; each holds about 15 MB of memory."""

    of_account: ClassVar[int] = 12
    of_process: ClassVar[int] = 32
    for_newcomers: ClassVar[int] = 12
