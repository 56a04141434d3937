"""How long to wait after failures."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_MOST_DOUBLINGS: Final = 60
"""Beyond these a power of two is no use, and after a thousand none is a float."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses that double from `first` to `longest` seconds.

    `spread`: chance takes up to this part of each pause, from 0 to 1, so that many workers do not come back in step.
    """

    first: float
    longest: float
    spread: float = 0.0

    def seconds(self, failures: int, *, chance: Callable[[], float] = random.random) -> float:
        """The pause after so many failures in a row, at least 1. `chance` gives a number from 0 to 1."""
        pause = min(self.first * 2 ** min(failures - 1, _MOST_DOUBLINGS), self.longest)
        return pause * (1 - self.spread * chance()) if self.spread else pause
