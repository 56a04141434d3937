"""How many WebSockets an account has open here: each takes a place among the gate's calls for as long as it lasts."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from mlpgateway.limits.errors import TooManySockets

MOST: Final = 1000
"""A tenth of the calls that a gate takes at a time."""


class OpenSockets:
    """At one gate."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self._open: Counter[int] = Counter()

    def check(self, account_id: int) -> None:
        """Raises TooManySockets when there is no room for another one."""
        if self._open.get(account_id, 0) >= self.most:
            raise TooManySockets(limit=str(self.most))

    @contextmanager
    def one(self, account_id: int) -> Generator[None]:
        self._open[account_id] += 1
        try:
            yield
        finally:
            self._open[account_id] -= 1
            if not self._open[account_id]:
                del self._open[account_id]
