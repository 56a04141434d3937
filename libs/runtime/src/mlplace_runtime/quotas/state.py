"""Applies a report to a bucket. The Redis adapter does the same in Lua; a property test compares the two."""

import math
from dataclasses import dataclass, field

from mlplace_runtime.quotas.port import HOLDER_MS, Bucket, BucketAnswer, Report


@dataclass(slots=True)
class Holding:
    """A holder's totals. Its lease is `granted` minus `spent` and `returned`."""

    granted: int
    spent: int
    returned: int
    apart: int
    until_ms: int = 0

    @property
    def out(self) -> int:
        return self.granted - self.spent - self.returned


@dataclass(slots=True)
class BucketState:
    level: float
    at_ms: int
    capacity: int
    holders: dict[str, Holding] = field(default_factory=dict[str, Holding])

    @property
    def out(self) -> int:
        return sum(holding.out for holding in self.holders.values())

    @classmethod
    def new(cls, report: Report, now_ms: int) -> "BucketState | None":
        if report.level is None:
            return None
        return cls(min(float(report.bucket.capacity), report.level), now_ms, report.bucket.capacity)

    def take(self, holder: str, report: Report, now_ms: int) -> BucketAnswer:
        self._refill(report.bucket, now_ms)
        self._bury(holder, now_ms)
        self._resize(report.bucket)
        mine = self.holders.pop(holder, None)
        if mine is None:
            acked = report.acked
            mine = Holding(acked.spent + acked.returned, acked.spent, acked.returned, acked.apart)
        out = self._account(mine, report)
        if report.leaving:
            self.level += out
            return BucketAnswer(report.totals.spent + report.totals.returned, self.level, len(self.holders))
        grant = self._grant(report)
        self.level -= grant
        totals = report.totals
        spent, returned = max(mine.spent, totals.spent), max(mine.returned, totals.returned)
        granted = spent + returned + out + grant
        self.holders[holder] = Holding(granted, spent, returned, max(mine.apart, totals.apart), now_ms + HOLDER_MS)
        return BucketAnswer(granted, self.level, len(self.holders))

    def _refill(self, bucket: Bucket, now_ms: int) -> None:
        elapsed = max(0, now_ms - self.at_ms)  # a clock that was set back fills nothing, and goes on from there
        per_ms = self.capacity / bucket.period_ms if bucket.period_ms else 0.0
        self.level = max(self.level, min(float(self.capacity - self.out), self.level + elapsed * per_ms))
        self.at_ms = now_ms

    def _bury(self, but: str, now_ms: int) -> None:
        for holding in self.holders.values():
            holding.until_ms = min(holding.until_ms, now_ms + HOLDER_MS)  # the clock may have been set back
        for name in [name for name, holding in self.holders.items() if holding.until_ms <= now_ms and name != but]:
            self.level += self.holders.pop(name).out

    def _resize(self, bucket: Bucket) -> None:
        """Changes the capacity. Holders learn of a change one by one, so it may go back and forth several times.

        What was used stays used each time. If a bucket that fills shrinks, its level drops by the difference, but not
        below zero: a larger debt would take long to refill.
        """
        more = bucket.capacity - self.capacity
        if more < 0:
            owed = bucket.period_ms is None and bucket.rises_at_once
            least = self.level + more if owed else min(self.level, 0.0)
            self.level = max(least, self.level + more)
        elif bucket.rises_at_once:
            self.level += more
        self.capacity = bucket.capacity
        self.level = min(self.level, float(self.capacity - self.out))

    def _account(self, mine: Holding, report: Report) -> int:
        """Books what was spent and returned since the last report. Returns what remains leased."""
        totals, out = report.totals, mine.out
        spent = max(0, totals.spent - mine.spent)
        covered = min(spent, out)
        self.level -= spent - covered
        back = min(max(0, totals.returned - mine.returned), out - covered)
        self.level += back
        apart = max(0, totals.apart - mine.apart)
        # Units spent while the store was unreachable are taken as far as the level reaches, without creating a debt.
        self.level = max(min(self.level, 0.0), self.level - apart)
        return out - covered - back

    def _grant(self, report: Report) -> int:
        asked = 0
        if report.demand and self.level >= report.least:
            asked = min(report.demand, math.floor(self.level))
        plenty = math.floor((self.level - asked) / 4)
        return asked + max(0, min(report.extra, plenty))
