"""Bounds waiting calls and the bytes of their requests, with a share of both for each account."""

from collections.abc import Callable
from typing import Final

from mlpgateway.shares.share import Fractions, Share
from mlplace_kit.errors import DomainError

EVERYTHING: Final = Fractions(account=1.0, address=1.0)
"""No shares: only the total counts."""


class WaitingShares:
    __slots__ = ("_calls", "_size")

    def __init__(
        self, name: str, calls: int, size: int, fractions: Fractions, *, full: Callable[[], DomainError]
    ) -> None:
        """A single call always fits. `full` creates the error for an exceeded total."""
        self._calls = Share(f"{name}_calls", calls, fractions, full=full)
        self._size = Share(f"{name}_bytes", size, fractions, full=full)

    @property
    def calls(self) -> int:
        return self._calls.used

    def enter(self, account_id: int, size: int) -> None:
        """Raises ShareExceeded, and the error that `full` creates."""
        self._calls.take(account_id)
        if size:
            try:
                self._size.take(account_id, size, mine=0)
            except DomainError:
                self._calls.give_back(account_id)
                raise

    def leave(self, account_id: int, size: int) -> None:
        self._calls.give_back(account_id)
        if size:
            self._size.give_back(account_id, size)
