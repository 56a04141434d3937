"""Medians, spread and percentiles."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles

# Milliseconds. From 25 the steps are five wide, so that a peak near 40 can be compared with its neighbours.
EDGES_MS = (0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 20, 25, 30, 35, 40, 45, 50, 55, 60, 80, 100, 250, 500, 1000)
_HEAP, _BESIDE = ("40", "45"), ("30", "35", "50", "55")
_FEW = 0.005


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of the rounds with the quartiles `low` and `high`."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        if len(values) == 1:
            return cls(values[0], values[0], values[0])
        low, _, high = quantiles(values, n=4, method="inclusive")
        return cls(median(values), low, high)

    def as_json(self) -> dict[str, float]:
        return {"median": _rounded(self.median), "low": _rounded(self.low), "high": _rounded(self.high)}


def percentile(ordered: Sequence[float], share: float) -> float:
    """The smallest value that is not exceeded by the given share (0 to 1) of the ordered values."""
    return ordered[min(len(ordered) - 1, max(0, -(-int(share * 1_000_000) * len(ordered) // 1_000_000) - 1))]


def histogram(times_us: Sequence[float]) -> dict[str, int]:
    """Counts of times up to each edge and above the previous one; the last name is `more`."""
    names = [*(f"{edge:g}" for edge in EDGES_MS), "more"]
    found = Counter(bisect_left(EDGES_MS, time / 1000) for time in times_us)
    return {name: found[place] for place, name in enumerate(names) if found[place]}


def heap_near_40_ms(found: Mapping[str, int]) -> float:
    """The share of times from 35 to 45 ms in a peak, as delayed TCP acknowledgements cause it.

    0 if 25 to 35 and 45 to 55 ms together hold as many, or if there are too few to be significant.
    """
    inside, beside = (sum(found.get(name, 0) for name in names) for names in (_HEAP, _BESIDE))
    share = max(0, inside - beside / 2) / max(1, sum(found.values()))
    return share if share > _FEW else 0.0


def _rounded(value: float) -> float:
    return round(value, 1 if value >= 10 else 3)
