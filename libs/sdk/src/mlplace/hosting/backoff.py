"""How long to wait before the next attempt to connect."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Doubling from ``first`` to ``limit`` seconds, each drawn from its upper half.

    The jitter keeps the instances of a restarted gate from coming back all in the same moment.
    """

    first: float = 0.5
    limit: float = 10.0

    def delay(self, attempt: int) -> float:
        """Seconds before attempt number ``attempt``, the first being 0."""
        ceiling = min(self.limit, self.first * 2 ** min(attempt, 16))
        return random.uniform(ceiling / 2, ceiling)  # noqa: S311 - spreads load, guards nothing
