"""Tests buckets: the contract with the in-memory store, and a property test against a small model."""

from dataclasses import dataclass, field
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mlplace_runtime.quotas import Bucket, Counters, MemoryQuotas, Report
from mlplace_runtime.quotas.port import HOLDER_MS
from mlplace_runtime.quotas.state import BucketState
from mlplace_testing.contracts.quotas import QuotasContract, Shelf

_HOLDERS = st.sampled_from("abc")
_CAPACITY, _PERIOD_MS = 1000, 8000


@pytest.fixture
def shelf() -> Shelf:
    clock = [1_700_000_000_000]
    return Shelf(MemoryQuotas(lambda: clock[0]), clock)


class TestMemoryQuotas(QuotasContract):
    async def test_full_buckets_are_forgotten_when_there_are_many(self, shelf: Shelf) -> None:
        quotas = shelf.quotas
        assert isinstance(quotas, MemoryQuotas)
        for number in range(10_001):
            shelf.bucket = Bucket(f"b{number}", 100, 1000)
            await shelf.ask(demand=10)
            await shelf.ask(totals=Counters(spent=10), leaving=True)
        shelf.pass_time(1000)
        shelf.bucket = Bucket("last", 100, 1000)
        await shelf.ask(leaving=True)
        assert len(quotas._buckets) < 10


@dataclass(slots=True)
class Model:
    """The unspent units, leased or not; they refill evenly up to the capacity. Exact arithmetic."""

    unspent: Fraction = Fraction(_CAPACITY)

    def wait(self, milliseconds: int) -> None:
        self.unspent = max(self.unspent, min(Fraction(_CAPACITY), self.unspent + self.filled(milliseconds)))

    def spend(self, amount: int) -> None:
        self.unspent -= amount

    @staticmethod
    def filled(milliseconds: int) -> Fraction:
        return Fraction(_CAPACITY * milliseconds, _PERIOD_MS)


@dataclass(slots=True)
class Holder:
    granted: int = 0
    spent: int = 0
    returned: int = 0
    acked: Counters = field(default_factory=Counters)

    @property
    def lease(self) -> int:
        return self.granted - self.spent - self.returned


class Buckets(RuleBasedStateMachine):
    """Holders lease, spend, return, die and come back, in any order and at any pace."""

    def __init__(self) -> None:
        super().__init__()
        self.bucket = Bucket("b", _CAPACITY, _PERIOD_MS)
        self.now = 0
        self.state = BucketState(float(_CAPACITY), 0, _CAPACITY)
        self.model = Model()
        self.holders: dict[str, Holder] = {}
        self.spent = 0

    @rule(milliseconds=st.integers(0, HOLDER_MS // 4))
    def wait(self, milliseconds: int) -> None:
        for name in list(self.holders):  # they report in time, so they stay alive
            self._report(name)
        self.now += milliseconds
        self.model.wait(milliseconds)
        self._report("z")  # a report of any holder refills the bucket

    @rule(name=_HOLDERS, demand=st.integers(0, 400), least=st.integers(1, 50), extra=st.integers(0, 400))
    def lease(self, name: str, demand: int, least: int, extra: int) -> None:
        self._report(name, demand=demand, least=least, extra=extra)

    @rule(name=_HOLDERS, share=st.floats(0, 1))
    def spend(self, name: str, share: float) -> None:
        """Spends up to what is leased."""
        holder = self.holders.setdefault(name, Holder())
        amount = int(holder.lease * share)
        holder.spent += amount
        self.spent += amount
        self.model.spend(amount)
        self._report(name)

    @rule(name=_HOLDERS, share=st.floats(0, 1))
    def give_back(self, name: str, share: float) -> None:
        holder = self.holders.setdefault(name, Holder())
        holder.returned += int(holder.lease * share)
        self._report(name)

    @rule(name=_HOLDERS)
    def die(self, name: str) -> None:
        """All that it spent is reported; its lease returns once it has been silent for long enough."""
        if self.holders.pop(name, None) is not None:
            self.now += HOLDER_MS
            for other in self.holders:  # kept alive during the long step
                self.state.holders[other].until_ms = self.now + HOLDER_MS
            self.model.wait(HOLDER_MS)
            self._report("z")

    @invariant()
    def nothing_is_lost_and_nothing_made(self) -> None:
        unspent = self.state.level + self.state.out
        assert unspent == pytest.approx(float(self.model.unspent), abs=1e-6)

    @invariant()
    def no_more_is_spent_than_was_there_and_came(self) -> None:
        assert self.spent <= _CAPACITY + self.model.filled(self.now)

    @invariant()
    def leases_are_as_the_holders_know_them(self) -> None:
        for name, holder in self.holders.items():
            assert self.state.holders[name].out == holder.lease >= 0

    def _report(self, name: str, *, demand: int = 0, least: int = 1, extra: int = 0) -> None:
        holder = self.holders.setdefault(name, Holder())
        totals = Counters(holder.spent, holder.returned)
        report = Report(self.bucket, totals, holder.acked, least=least, demand=demand, extra=extra)
        standing = self.state.take(name, report, self.now)
        holder.granted, holder.acked = standing.granted, totals


TestBuckets = Buckets.TestCase
TestBuckets.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)


class TestRefill:
    @given(steps=st.lists(st.integers(0, 5000), max_size=30))
    def test_many_small_steps_refill_as_much_as_one_long_step(self, steps: list[int]) -> None:
        often, once = BucketState(0.0, 0, _CAPACITY), BucketState(0.0, 0, _CAPACITY)
        report = Report(Bucket("b", _CAPACITY, _PERIOD_MS), Counters(), Counters())
        now = 0
        for step in steps:
            now += step
            often.take("a", report, now)
        once.take("a", report, now)
        often.take("a", report, now)
        assert often.level == pytest.approx(once.level)
