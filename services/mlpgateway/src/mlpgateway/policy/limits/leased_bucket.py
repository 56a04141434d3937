"""The lease of one gate on a shared bucket, and what the gate has spent of it. No I/O."""

import math
import time
from collections.abc import Awaitable, Callable
from typing import Final, Literal

from mlplace_runtime.quotas import Bucket, BucketAnswer, Counters, Report

_SLICES: Final = 8
"""All gates together lease an eighth of a bucket, but at least the units of one call."""

_ROUNDING: Final = 1e-6
_OF_PLENTY: Final = 4
"""A holder gets extra units up to this part of the bucket's level."""

Restore = Callable[[], Awaitable[float]]
Origin = Literal["lease", "apart"]


class LeasedBucket:
    """Spends leased units only; while the store is away, this gate's share of the limit instead.

    Totals only grow, so a report may be sent twice. `left` is leased and free; it is negative when calls cost more
    than was held for them.
    """

    __slots__ = (
        "_acked",
        "_apart",
        "_clock",
        "_known",
        "_level",
        "_local",
        "_local_at",
        "_local_most",
        "_rate",
        "_returned",
        "_seen",
        "_sent",
        "_spent",
        "begins",
        "bucket",
        "granted",
        "idle_rounds",
        "left",
        "low",
        "restore",
        "share",
        "unit",
        "used",
    )

    def __init__(
        self,
        bucket: Bucket,
        begins: float,
        clock: Callable[[], float] = time.monotonic,
        *,
        restore: Restore | None = None,
    ) -> None:
        """`begins` is the level of a bucket that the store does not know; `restore`, if given, finds a better one."""
        self.restore = restore
        self._clock = clock
        self.bucket = bucket
        self.begins = begins
        self.unit = 1
        self.granted = self.left = self._spent = self._returned = self._apart = 0
        self._acked = self._sent = Counters()
        self._rate = bucket.per_ms * 1000
        self._known = False
        self._level = begins
        self._seen = clock()
        self._local: float | None = None
        self._local_at = self._local_most = 0.0
        # This gate's part among all live gates, 0 to 1.
        self.share = 1.0
        self.low = 0
        self.used = True
        self.idle_rounds = 0

    # ---- Calls

    def draw(self, amount: int) -> Origin | None:
        """Holds the amount. Returns None when the lease has too little; the store may have more."""
        self.unit = max(self.unit, amount)
        return self.draw_more(amount)

    def draw_more(self, amount: int) -> Origin | None:
        """Like `draw`, for a call that costs more than was held. Does not change the expected cost of a call."""
        self.used = True
        if self.left >= amount:
            self.left -= amount
            return "lease"
        if self._local is not None and self._refilled() >= amount:
            self._local -= amount
            return "apart"
        return None

    @property
    def at_hand(self) -> int:
        """The most units that one call can draw."""
        return max(self.left, int(self._refilled()))

    def settle(self, origin: Origin, held: int, actual: int) -> None:
        """Ends a hold. `actual` is 0 when the call used nothing."""
        if origin == "lease":
            self._spent += actual
            self.left += held - actual
        else:
            self._apart += actual
            if self._local is not None:
                self._local += held - actual

    @property
    def held(self) -> int:
        return self.granted - self._spent - self._returned - self.left

    @property
    def is_low(self) -> bool:
        return self.left <= self.low and self._local is None

    # ---- The remaining units, for callers

    def available(self) -> float:
        """Returns the units left, as far as this gate knows: its lease and the store's last free level, refilled."""
        if self._local is not None:
            return max(0.0, self.left + self._refilled())
        return max(0.0, min(float(self.bucket.capacity), self._estimate() + self.left))

    def outlook(self) -> tuple[int, int]:
        """Returns the whole units left and the seconds until the bucket is full again; 0 when it never refills."""
        left = self.available()
        rate = self._rate if self._local is None else self._rate * self.share
        seconds = (self.bucket.capacity - left) / rate if rate else 0.0
        return int(left + _ROUNDING), math.ceil(seconds - _ROUNDING)

    def seconds_to(self, amount: float) -> float | None:
        """Returns the seconds until the amount is available if nobody draws. None: never."""
        lacking = amount - self.available()
        if lacking <= 0:
            return 0.0
        rate = self._rate * (self.share if self._local is not None else 1.0)
        return lacking / rate if rate else None

    def _estimate(self) -> float:
        since = self._clock() - self._seen
        return max(self._level, min(float(self.bucket.capacity), self._level + since * self._rate))

    # ---- With the store

    def report(self, *, demand: int, least: int, leaving: bool) -> Report:
        """Returns the report for the store. `demand` is what all waiting calls lack, `least` what one of them lacks."""
        self._sent = Counters(self._spent, self._returned, self._apart)
        size = max(self.unit, int(self.bucket.capacity * self.share) // _SLICES)
        self.low = size // 2
        lacking = demand
        if not demand and not leaving and self.used:
            # Lease one call's units in advance, even from a nearly empty bucket.
            lacking, least = max(0, self.unit - self.left), self.unit
        return Report(
            self.bucket,
            self._sent,
            self._acked,
            least=max(1, least),
            demand=max(0, lacking),
            extra=max(0, size - max(0, self.left)) if self.used and not leaving and self._is_plenty() else 0,
            level=self._estimate() if self._known else None if self.restore else self.begins,
            leaving=leaving,
        )

    def _is_plenty(self) -> bool:
        """Returns whether the store has enough for extra units. Small extras at several gates would help no call."""
        return self._estimate() >= _OF_PLENTY * self.unit

    def apply(self, standing: BucketAnswer) -> None:
        self.left += standing.granted - self.granted
        self.granted = standing.granted
        self._acked = self._sent
        self._level, self._seen = standing.level, self._clock()
        self._known = True
        self._local = None

    def restored(self, level: float) -> None:
        """Sets the level with which the store creates the bucket."""
        self.restore = None
        self.begins = self._level = level
        self._seen = self._clock()

    def resize(self, bucket: Bucket) -> None:
        self.bucket = bucket
        self._rate = bucket.per_ms * 1000

    def give_back(self) -> None:
        """Returns all free units; the next report tells the store."""
        if self.left > 0:
            self._returned += self.left
            self.left = 0

    @property
    def reported(self) -> bool:
        return self._acked == Counters(self._spent, self._returned, self._apart)

    # ---- Without the store

    def fall_back(self) -> None:
        """Switches to this gate's share of the known level and of the refill. The share can always hold one call."""
        if self._local is None:
            self._local_most = max(self.bucket.capacity * self.share, float(min(self.unit, self.bucket.capacity)))
            self._local = min(self._local_most, max(0.0, self._estimate()) * self.share)
            self._local_at = self._clock()

    def _refilled(self) -> float:
        if self._local is None:
            return 0.0
        now = self._clock()
        came = (now - self._local_at) * self._rate * self.share
        self._local = max(self._local, min(self._local_most, self._local + came))
        self._local_at = now
        return self._local
