"""Medians, spread and percentiles."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of the rounds, and the quarter of them that lies below `low` and above `high`."""

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
    """The smallest value that so many (0 to 1) of the ordered values do not exceed."""
    return ordered[min(len(ordered) - 1, max(0, -(-int(share * 1_000_000) * len(ordered) // 1_000_000) - 1))]


def _rounded(value: float) -> float:
    return round(value, 1 if value >= 10 else 3)
