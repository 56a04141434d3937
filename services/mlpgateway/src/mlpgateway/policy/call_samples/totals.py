"""What this gate has counted since it began, for Prometheus, which takes the differences itself."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from mlplace_contracts.events import CallerSample, CallsSampled, InstanceSample

Key = tuple[int, int]
"""Model and instance; instance 0: calls without one; OTHERS: instances that are counted together."""
OTHERS: Final = -1
_SHOWN_AFTER: Final = timedelta(seconds=60)
"""Prometheus takes the first value of a counter as its start, so a new one is 0 for as long as two reads take."""
_KEPT: Final = timedelta(minutes=2)
"""The last calls of a removed instance are shown for so long, while its model exists."""
_CALLER_KEPT: Final = timedelta(days=1)
_NEW_OF_ACCOUNT: Final = 500
_WINDOW: Final = timedelta(hours=1)
"""So many instances of an account get series of their own in this time: who starts and removes instances without end
must not fill Prometheus.
"""


class CallSums(msgspec.Struct, frozen=True):
    """Times in milliseconds. `times` and `waits` count by bucket, as in `InstanceSample`."""

    answered: int = 0
    failed: int = 0
    refused: int = 0
    reconnects: int = 0
    active_ms: int = 0
    waiting_ms: int = 0
    time_ms: int = 0
    wait_ms: int = 0
    times: Mapping[int, int] = {}
    waits: Mapping[int, int] = {}

    def plus(self, sample: InstanceSample) -> "CallSums":
        return CallSums(
            answered=self.answered + sample.answered,
            failed=self.failed + sample.failed,
            refused=self.refused + sample.refused,
            reconnects=self.reconnects + sample.reconnects,
            active_ms=self.active_ms + sample.active_ms,
            waiting_ms=self.waiting_ms + sample.waiting_ms,
            time_ms=self.time_ms + sample.time_ms,
            wait_ms=self.wait_ms + sample.wait_ms,
            times=_merged(self.times, sample.time_buckets, sample.time_counts),
            waits=_merged(self.waits, sample.wait_buckets, sample.wait_counts),
        )


class CallerSums(msgspec.Struct, frozen=True):
    allowed: int = 0
    exceeded: int = 0

    def plus(self, sample: CallerSample) -> "CallerSums":
        return CallerSums(self.allowed + sample.calls - sample.exceeded, self.exceeded + sample.exceeded)


_Sums = TypeVar("_Sums", CallSums, CallerSums)


class _Entry(Generic[_Sums]):
    """`shown`: replaced as a whole, so it does not change while it is written."""

    __slots__ = ("_began", "_counted", "_visible", "shown", "used")

    def __init__(self, nothing: _Sums, now: datetime) -> None:
        self._began = self.used = now
        self._visible = False
        self.shown = self._counted = nothing

    @property
    def counted(self) -> _Sums:
        return self._counted

    def count(self, sums: _Sums, now: datetime) -> None:
        self.used = now
        self._counted = sums

    def show(self, now: datetime) -> None:
        """Once visible, it stays so even if the clock is set back."""
        self._visible = self._visible or now - self._began >= _SHOWN_AFTER
        if self._visible:
            self.shown = self._counted


class Owners(Protocol):
    """What is known of models and instances."""

    def account_of(self, model_id: int) -> int | None:
        """Returns None if the model does not exist."""
        ...

    def accepts_connections(self, instance_id: int) -> bool: ...


class CallTotals:
    def __init__(self, owners: Owners) -> None:
        self._owners = owners
        self._calls: dict[Key, _Entry[CallSums]] = {}
        self._callers: dict[int, _Entry[CallerSums]] = {}
        self._new: Counter[int] = Counter()
        self._window_ends: datetime | None = None

    def add(self, report: CallsSampled) -> None:
        """Adds what one part of a report counts; `settle` shows it."""
        now = report.ended_at
        if self._window_ends is None or not now < self._window_ends <= now + _WINDOW:
            self._new.clear()
            self._window_ends = now + _WINDOW
        for sample in report.instances:
            key = sample.model_id, sample.instance_id
            entry = self._calls.get(key) or self._begun(key, now)
            entry.count(entry.counted.plus(sample), now)
        for caller in report.callers:
            known = self._callers.get(caller.account_id)
            if known is None:
                known = self._callers[caller.account_id] = _Entry(CallerSums(), now)
            known.count(known.counted.plus(caller), now)

    def _begun(self, key: Key, now: datetime) -> _Entry[CallSums]:
        """Returns the entry of a new instance: its own, or the one of the others of its model."""
        model_id, instance_id = key
        if instance_id:
            account_id = self._owners.account_of(model_id) or 0
            self._new[account_id] += 1
            if self._new[account_id] > _NEW_OF_ACCOUNT:
                key = model_id, OTHERS
        return self._calls.setdefault(key, _Entry(CallSums(), now))

    def settle(self, now: datetime) -> None:
        """Shows what is old enough, and forgets models and instances that were removed."""
        for account_id, caller in list(self._callers.items()):
            caller.show(now)
            if now - caller.used > _CALLER_KEPT:
                del self._callers[account_id]
        for key, entry in list(self._calls.items()):
            entry.show(now)
            if now - entry.used > _KEPT and not self._exists(*key):
                del self._calls[key]

    def _exists(self, model_id: int, instance_id: int) -> bool:
        known = self._owners.account_of(model_id) is not None
        return known and (instance_id <= 0 or self._owners.accepts_connections(instance_id))

    def calls(self) -> Sequence[tuple[Key, CallSums]]:
        """Returns what is shown."""
        return [(key, entry.shown) for key, entry in self._calls.items()]

    def callers(self) -> Sequence[tuple[int, CallerSums]]:
        """Returns what is shown of accounts."""
        return [(account_id, entry.shown) for account_id, entry in self._callers.items()]


def _merged(known: Mapping[int, int], buckets: Sequence[int], counts: Sequence[int]) -> Mapping[int, int]:
    if not buckets:
        return known
    merged = dict(known)
    for bucket, count in zip(buckets, counts, strict=True):
        merged[bucket] = merged.get(bucket, 0) + count
    return merged
