"""What one interval adds up to, for one instance of a model or for one caller."""

import math
from collections import Counter
from typing import Final

import msgspec

from mlplace_contracts.events import CallerSample, InstanceSample

_BASE: Final = 1.2
_LARGEST: Final = 200
_LOG: Final = math.log(_BASE)


def bucket_of(milliseconds: float) -> int:
    """Returns the bucket of a time: bucket n holds times above 1.2^(n-1) ms up to 1.2^n ms."""
    if milliseconds <= 1:
        return 1
    return min(max(1, math.ceil(math.log(milliseconds) / _LOG - 1e-9)), _LARGEST)


def largest_of(bucket: int) -> float:
    """Returns the largest time in milliseconds that the bucket holds."""
    return _BASE**bucket


class Times:
    """Durations in milliseconds, as numbers that can be added to those of other intervals and gates."""

    __slots__ = ("buckets", "count", "largest", "least", "total")

    def __init__(self) -> None:
        self.count = 0
        self.total = 0.0
        self.least = math.inf
        self.largest = 0.0
        self.buckets: Counter[int] = Counter()

    def add(self, milliseconds: float) -> None:
        self.count += 1
        self.total += milliseconds
        self.least = min(self.least, milliseconds)
        self.largest = max(self.largest, milliseconds)
        self.buckets[bucket_of(milliseconds)] += 1


class InstanceCounts:
    """Times in milliseconds."""

    __slots__ = ("active_ms", "answered", "failed", "reconnects", "refused", "times", "waiting_ms", "waits")

    def __init__(self) -> None:
        self.answered = self.failed = self.refused = self.reconnects = 0
        self.active_ms = self.waiting_ms = 0.0
        self.times = Times()
        self.waits = Times()

    def sample(self, model_id: int, instance_id: int) -> InstanceSample:
        times, waits = self.times, self.waits
        time_buckets, wait_buckets = sorted(times.buckets.items()), sorted(waits.buckets.items())
        return InstanceSample(
            model_id=model_id,
            instance_id=instance_id,
            answered=self.answered,
            failed=self.failed,
            refused=self.refused,
            reconnects=self.reconnects,
            active_ms=round(self.active_ms),
            waiting_ms=round(self.waiting_ms),
            timed=times.count,
            time_ms=round(times.total),
            min_ms=round(times.least) if times.count else 0,
            max_ms=round(times.largest),
            waited=waits.count,
            wait_ms=round(waits.total),
            max_wait_ms=round(waits.largest),
            time_buckets=tuple(bucket for bucket, _ in time_buckets),
            time_counts=tuple(count for _, count in time_buckets),
            wait_buckets=tuple(bucket for bucket, _ in wait_buckets),
            wait_counts=tuple(count for _, count in wait_buckets),
        )


class CallerCounts(msgspec.Struct):
    calls: int = 0
    exceeded: int = 0

    def sample(self, account_id: int) -> CallerSample:
        return CallerSample(account_id=account_id, calls=self.calls, exceeded=self.exceeded)
