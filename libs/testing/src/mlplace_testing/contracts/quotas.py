"""Contract of stores of shared buckets. An adapter's tests subclass it and provide a `shelf` fixture."""

import asyncio
from dataclasses import dataclass, field, replace

import pytest

from mlplace_runtime.quotas import Bucket, BucketAnswer, Counters, Report, SharedQuotas
from mlplace_runtime.quotas.port import HOLDER_MS

SECOND = 1000


@dataclass(slots=True)
class Shelf:
    """A store whose clock the test moves. `bucket` holds 100 units and fills within ten seconds."""

    quotas: SharedQuotas
    clock: list[int] = field(default_factory=lambda: [1_700_000_000_000])
    bucket: Bucket = field(default_factory=lambda: Bucket("b", 100, 10 * SECOND))

    def pass_time(self, milliseconds: int) -> None:
        self.clock[0] += milliseconds

    async def ask(
        self,
        holder: str = "a",
        totals: Counters | None = None,
        *,
        demand: int = 0,
        least: int = 1,
        extra: int = 0,
        acked: Counters | None = None,
        level: float | None = 100,
        leaving: bool = False,
    ) -> BucketAnswer:
        nothing = Counters()
        report = Report(
            self.bucket, totals or nothing, acked or nothing, least=least, demand=demand, extra=extra, level=level,
            leaving=leaving,
        )  # fmt: skip
        return (await self.quotas.sync(holder, [report]))[0]


class QuotasContract:
    async def test_an_unknown_bucket_stays_unknown_or_starts_at_the_given_level(self, shelf: Shelf) -> None:
        assert not (await shelf.ask(demand=5, level=None)).known
        assert not (await shelf.ask(level=None)).known
        begun = await shelf.ask(demand=5, level=40.5)
        assert (begun.known, begun.granted, begun.level, begun.holders) == (True, 5, 35.5, 1)
        assert (await shelf.ask("b", level=100)).level == 35.5, "it is known now"

    async def test_a_new_bucket_starts_with_its_capacity_at_most(self, shelf: Shelf) -> None:
        assert (await shelf.ask(level=1000)).level == 100

    async def test_a_bucket_refills_evenly_up_to_its_capacity(self, shelf: Shelf) -> None:
        spent = (await shelf.ask(demand=100)).granted
        assert spent == 100
        await shelf.ask(totals=Counters(spent=100))
        shelf.pass_time(500)
        assert (await shelf.ask("b")).level == 5
        shelf.pass_time(60 * SECOND)
        assert (await shelf.ask("b")).level == 100

    async def test_a_clock_that_is_set_back_stops_neither_the_refill_nor_the_end_of_the_dead(
        self, shelf: Shelf
    ) -> None:
        spent = await shelf.ask(demand=100)
        await shelf.ask(totals=Counters(spent=spent.granted))
        shelf.pass_time(2 * SECOND)
        assert (await shelf.ask("dead", demand=20)).granted == 20
        shelf.pass_time(-3600 * SECOND)
        assert (await shelf.ask("b")).level == 0
        shelf.pass_time(SECOND)
        assert (await shelf.ask("b")).level == 10
        shelf.pass_time(HOLDER_MS)
        assert (await shelf.ask("b")).level == 100, "what the dead holder has leased is back"

    async def test_leased_units_count_as_taken_during_the_refill(self, shelf: Shelf) -> None:
        assert (await shelf.ask(demand=30)).level == 70
        shelf.pass_time(15 * SECOND)
        assert (await shelf.ask("b")).level == 70
        back = await shelf.ask(totals=Counters(returned=30))
        assert (back.level, back.granted) == (100, 30)

    async def test_a_repeated_report_has_no_second_effect(self, shelf: Shelf) -> None:
        await shelf.ask(demand=30)
        first = await shelf.ask(totals=Counters(spent=10, returned=5, apart=7))
        again = await shelf.ask(totals=Counters(spent=10, returned=5, apart=7))
        assert (first.level, first.granted) == (68, 30)
        assert again == first

    async def test_fewer_units_than_one_caller_needs_are_not_leased(self, shelf: Shelf) -> None:
        await shelf.ask(level=9)
        assert (await shelf.ask(demand=30, least=10)).granted == 0
        assert (await shelf.ask(demand=30, least=9)).granted == 9

    async def test_extra_units_are_at_most_a_quarter_of_the_rest(self, shelf: Shelf) -> None:
        assert (await shelf.ask(demand=20, extra=1000)).granted == 40
        assert (await shelf.ask("b", extra=5)).granted == 5

    async def test_calls_that_cost_more_than_leased_leave_a_debt(self, shelf: Shelf) -> None:
        await shelf.ask(demand=90)
        in_debt = await shelf.ask(totals=Counters(spent=120))
        assert (in_debt.level, in_debt.granted) == (-20, 120)
        assert (await shelf.ask("b", demand=1)).granted == 0
        shelf.pass_time(3 * SECOND)
        assert (await shelf.ask("b", demand=1)).granted == 1

    async def test_units_spent_apart_are_taken_without_a_debt(self, shelf: Shelf) -> None:
        assert (await shelf.ask(totals=Counters(apart=60))).level == 40
        assert (await shelf.ask(totals=Counters(apart=160))).level == 0

    async def test_the_lease_of_a_silent_holder_returns(self, shelf: Shelf) -> None:
        await shelf.ask(demand=60)
        await shelf.ask("b")
        shelf.pass_time(HOLDER_MS - 1)
        assert (await shelf.ask("b")).level == 40
        shelf.pass_time(1)
        assert (await shelf.ask("b")).level == 100
        await shelf.ask(totals=Counters(spent=25), acked=Counters())
        assert (await shelf.ask("b")).level == 75, "it was alive after all, and says what it spent"

    async def test_a_holder_that_reports_stays_alive(self, shelf: Shelf) -> None:
        await shelf.ask(demand=60)
        for _ in range(5):
            shelf.pass_time(HOLDER_MS // 2)
            await shelf.ask()
        assert (await shelf.ask("b")).level == 40

    async def test_a_leaving_holder_returns_its_lease(self, shelf: Shelf) -> None:
        await shelf.ask(demand=60)
        left = await shelf.ask(totals=Counters(spent=20), leaving=True)
        assert (left.level, left.holders) == (80, 0)
        assert (await shelf.ask(demand=10)).granted == 10, "and may begin anew"

    async def test_a_store_that_lost_its_data_counts_unacknowledged_units(self, shelf: Shelf) -> None:
        known = await shelf.ask(totals=Counters(spent=50, returned=3, apart=2), acked=Counters(30, 3, 2), level=80)
        assert (known.level, known.granted) == (60, 53)

    async def test_a_raised_capacity_is_available_at_once_or_refills(self, shelf: Shelf) -> None:
        await shelf.ask(totals=Counters(apart=100))
        shelf.bucket = replace(shelf.bucket, capacity=150)
        assert (await shelf.ask(totals=Counters(apart=100))).level == 50
        shelf.bucket = replace(shelf.bucket, capacity=250, rises_at_once=False)
        assert (await shelf.ask(totals=Counters(apart=100))).level == 50
        shelf.pass_time(1 * SECOND)
        assert (await shelf.ask(totals=Counters(apart=100))).level == 75

    async def test_a_lowered_capacity_applies_with_all_leases_counted(self, shelf: Shelf) -> None:
        await shelf.ask(demand=30)
        shelf.bucket = replace(shelf.bucket, capacity=40)
        assert (await shelf.ask("b")).level == 10

    @pytest.mark.parametrize("period", [None, SECOND])
    @pytest.mark.parametrize("rises", [True, False])
    async def test_used_units_stay_used_when_holders_learn_of_a_raised_capacity_one_by_one(
        self, shelf: Shelf, period: int | None, *, rises: bool
    ) -> None:
        before = shelf.bucket = Bucket("changed", 100, period, rises_at_once=rises)
        after = replace(before, capacity=250)
        await shelf.ask(demand=60)
        await shelf.ask("b", demand=40)
        for _ in range(3):
            for holder, bucket, spent in (("a", after, 60), ("b", before, 40)):
                shelf.bucket = bucket
                await shelf.ask(holder, totals=Counters(spent=spent))
        shelf.bucket = after
        assert (await shelf.ask("b", totals=Counters(spent=40))).level == (150 if rises else 0)

    async def test_used_units_count_against_a_lowered_capacity(self, shelf: Shelf) -> None:
        shelf.bucket = Bucket("once", 100, None)
        await shelf.ask(totals=Counters(apart=60))
        for capacity, left in ((70, 10), (50, -10), (65, 5), (50, -10), (100, 40)):
            shelf.bucket = replace(shelf.bucket, capacity=capacity)
            assert (await shelf.ask(totals=Counters(apart=60))).level == left

    async def test_a_lowered_capacity_of_a_refilling_bucket_leaves_no_debt(self, shelf: Shelf) -> None:
        """A debt from the larger capacity would take long to refill at the smaller one."""
        await shelf.ask(totals=Counters(apart=90))
        shelf.bucket = replace(shelf.bucket, capacity=20)
        assert (await shelf.ask(totals=Counters(apart=90))).level == 0
        shelf.pass_time(SECOND // 10)
        assert (await shelf.ask(totals=Counters(apart=90))).level > 0

    async def test_a_bucket_without_a_period_never_refills(self, shelf: Shelf) -> None:
        shelf.bucket = Bucket("once", 100, None)
        await shelf.ask(totals=Counters(apart=60))
        shelf.pass_time(10**10)
        assert (await shelf.ask("b")).level == 40

    async def test_amounts_of_money_keep_their_last_digit(self, shelf: Shelf) -> None:
        shelf.bucket = Bucket("money", 9_000_000_000_000_001, None)
        taken = await shelf.ask(demand=9_000_000_000_000_000, level=9_000_000_000_000_001)
        assert (taken.granted, taken.level) == (9_000_000_000_000_000, 1)

    async def test_concurrent_holders_never_get_more_than_the_level(self, shelf: Shelf) -> None:
        asked = [shelf.ask(f"h{number}", demand=7, least=7) for number in range(40)]
        granted = [standing.granted for standing in await asyncio.gather(*asked)]
        assert sum(granted) == 98
        assert set(granted) == {0, 7}

    async def test_answers_come_in_the_order_of_the_reports(self, shelf: Shelf) -> None:
        reports = [
            Report(Bucket(f"n{number}", 100, SECOND), Counters(), Counters(), demand=number, level=100)
            for number in range(20)
        ]
        assert [standing.granted for standing in await shelf.quotas.sync("a", reports)] == list(range(20))
        assert not await shelf.quotas.sync("a", [])
