"""In-process buckets, for the all-in-one platform and for tests."""

import time
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Self

from mlplace_runtime.quotas.port import BucketAnswer, Report
from mlplace_runtime.quotas.state import BucketState

_MOST_BUCKETS = 10_000
_UNKNOWN = BucketAnswer(0, 0.0, 0, known=False)


class MemoryQuotas:
    """Implements `SharedQuotas` for the holders of one process."""

    def __init__(self, now_ms: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000) -> None:
        """`now_ms` replaces a clock that nobody can set: nothing here outlives the process."""
        self._now_ms = now_ms
        self._buckets: dict[str, BucketState] = {}
        # When buckets without holders will be full. A full one can be forgotten: an unknown bucket starts full, too.
        self._full_at_ms: dict[str, float] = {}

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    async def sync(self, holder: str, reports: Sequence[Report]) -> Sequence[BucketAnswer]:
        now_ms = self._now_ms()
        standings = [self._take(holder, report, now_ms) for report in reports]
        if len(self._full_at_ms) > _MOST_BUCKETS:
            self._forget_full(now_ms)
        return standings

    def _take(self, holder: str, report: Report, now_ms: int) -> BucketAnswer:
        name = report.bucket.name
        state = self._buckets.get(name)
        if state is None:
            state = BucketState.new(report, now_ms)
            if state is None:
                return _UNKNOWN
            self._buckets[name] = state
        standing = state.take(holder, report, now_ms)
        if state.holders:
            self._full_at_ms.pop(name, None)
        elif report.bucket.per_ms:
            self._full_at_ms[name] = now_ms + (state.capacity - state.level) / report.bucket.per_ms
        return standing

    def _forget_full(self, now_ms: int) -> None:
        for name in [name for name, full_at in self._full_at_ms.items() if full_at <= now_ms]:
            del self._full_at_ms[name], self._buckets[name]
