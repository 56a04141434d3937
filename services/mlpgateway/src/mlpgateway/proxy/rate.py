"""Calls per second of an account: a token bucket each, filled evenly, that holds one second's worth."""

import time
from collections.abc import Callable

from mlpgateway.proxy.errors import RateExceeded

_MOST_BUCKETS = 10_000


class RateLimit:
    """Local to this process: several gates let through the sum of what each does."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        # account -> (tokens at that time, time)
        self._buckets: dict[int, tuple[float, float]] = {}

    def take(self, account_id: int, per_second: int) -> None:
        """Raises RateExceeded, with the time after which a call will pass."""
        now = self._now()
        tokens, since = self._buckets.get(account_id, (float(per_second), now))
        tokens = min(float(per_second), tokens + (now - since) * per_second)
        if tokens < 1.0:
            refusal = RateExceeded(limit=str(per_second))
            refusal.retry_after_seconds = (1.0 - tokens) / per_second if per_second else 60.0
            raise refusal
        self._buckets[account_id] = (tokens - 1.0, now)
        if len(self._buckets) > _MOST_BUCKETS:
            self._forget_full(now)

    def _forget_full(self, now: float) -> None:
        """A bucket that nobody took from for a second is full, as a new one is."""
        self._buckets = {account: bucket for account, bucket in self._buckets.items() if now - bucket[1] < 1.0}
