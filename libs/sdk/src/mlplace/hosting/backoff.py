"""Delays between attempts to connect."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Delays that double from ``first`` to ``limit`` seconds; each is randomly reduced by up to a half.

    The jitter keeps the instances of a restarted gate from reconnecting at the same moment.
    """

    first: float = 0.5
    limit: float = 10.0

    def delay(self, attempt: int) -> float:
        """Returns the seconds to wait before attempt number ``attempt``, counted from 0."""
        ceiling = min(self.limit, self.first * 2 ** min(attempt, 16))
        return random.uniform(ceiling / 2, ceiling)  # noqa: S311 - spreads load; no security purpose
