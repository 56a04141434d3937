"""A histogram of latencies with logarithmic buckets. Histograms of days, and of gates, add up exactly.

Bucket n > 0 holds latencies above 1.2^(n-1) ms up to 1.2^n ms, so a median is right within 10 %.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

FAILED: Final = -1
"""The bucket of failed calls."""
UNTIMED: Final = 0
"""The bucket of answered calls whose latency says nothing about the service, such as answers from a cache."""

_BASE: Final = 1.2
LARGEST_BUCKET: Final = 200


def bucket_of(milliseconds: int) -> int:
    """Returns the bucket of a latency."""
    if milliseconds <= 1:
        return 1
    return min(max(1, math.ceil(math.log(milliseconds, _BASE))), LARGEST_BUCKET)


@dataclass(frozen=True, slots=True)
class Counted:
    """Calls by bucket."""

    buckets: Mapping[int, int]

    @property
    def answered(self) -> int:
        return sum(calls for bucket, calls in self.buckets.items() if bucket != FAILED)

    @property
    def failed(self) -> int:
        return self.buckets.get(FAILED, 0)

    @property
    def timed(self) -> int:
        return sum(calls for bucket, calls in self.buckets.items() if bucket > UNTIMED)

    @property
    def success_rate(self) -> float | None:
        """Returns the answered part of all calls; None without calls."""
        calls = self.answered + self.failed
        return self.answered / calls if calls else None

    @property
    def median_ms(self) -> int | None:
        """Returns the median latency of timed calls; None without any."""
        return self.quantile_ms(0.5)

    def quantile_ms(self, part: float) -> int | None:
        """Returns the latency that this part of the timed calls does not exceed; None without timed calls."""
        wanted = self.timed * part
        if not wanted:
            return None
        seen = 0
        for bucket, calls in sorted(self.buckets.items()):
            if bucket <= UNTIMED:
                continue
            if seen + calls >= wanted:
                within = (wanted - seen) / calls
                return max(1, round(_BASE ** (bucket - 1 + within)))
            seen += calls
        return None
