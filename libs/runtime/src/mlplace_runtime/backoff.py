"""Pauses after failures."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_MOST_DOUBLINGS: Final = 60
"""Keeps the power of two within the range of a float."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses that double from `first` to `longest` seconds.

    `spread`: the part of each pause, from 0 to 1, that chance may remove, so that many workers do not retry in step.
    """

    first: float
    longest: float
    spread: float = 0.0

    def seconds(self, failures: int, *, chance: Callable[[], float] = random.random) -> float:
        """Returns the pause after `failures` failures in a row, at least one. `chance` gives a number from 0 to 1."""
        pause = min(self.first * 2 ** min(failures - 1, _MOST_DOUBLINGS), self.longest)
        return pause * (1 - self.spread * chance()) if self.spread else pause
