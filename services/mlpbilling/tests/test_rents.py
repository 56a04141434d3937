"""Tests rents of hosting: each period is charged once in advance, when it begins."""

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mlpbilling.features.rents.dependencies import rents_of
from mlpbilling.features.rents.loops import charge_rents
from mlpbilling.features.rents.periods import TarifficationPeriod, begun, end_of
from mlpbilling.features.rents.service import ImplausibleRentError
from mlplace_contracts.events import RentChanged
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import NANO
from mlplace_testing.identities import Identities

from .conftest import Harness

OWNER, PAYER = 2, 1
moments = st.integers(0, 3 * 10**9).map(
    lambda tenths: datetime(2020, 1, 1, tzinfo=UTC) + timedelta(seconds=tenths / 10)
)
periods = st.sampled_from(list(TarifficationPeriod))


def rent(clock: ManualClock, **more: Any) -> RentChanged:
    now = more.pop("now", clock.now())
    values = {
        "version": 1,
        "rent_id": 7,
        "source_type": "RESOURCE_GROUP",
        "source_name": "gpu",
        "owner_account_id": OWNER,
        "payer_account_id": PAYER,
        "price_nano": NANO,
        "currency": "RUBLE",
        "period": "HOUR",
        "started_at": now,
        "changed_at": now,
    }
    return RentChanged.model_validate(values | more)


async def learn(harness: Harness, *news: RentChanged) -> None:
    for one in news:
        async with harness.database.transaction() as session:
            await rents_of(session, harness.state).learn(news=one)


async def charges(harness: Harness) -> list[tuple[datetime, int, int]]:
    rows = await harness.query("SELECT period_start, periods, charged_nano FROM rent_charge ORDER BY period_start")
    return [tuple(row) for row in rows]


class TestPeriods:
    @given(moments, periods, st.integers(1, 200))
    def test_a_period_ends_where_the_next_begins(self, anchor: datetime, period: TarifficationPeriod, n: int) -> None:
        end = end_of(anchor, period, n)
        assert end > end_of(anchor, period, n - 1) >= anchor
        assert begun(anchor, period, end) == n + 1
        assert begun(anchor, period, end - timedelta(microseconds=1)) == n

    def test_a_month_that_is_too_short_ends_on_its_last_day(self) -> None:
        anchor = datetime(2026, 1, 31, tzinfo=UTC)
        ends = [end_of(anchor, TarifficationPeriod.MONTH, n).strftime("%m-%d") for n in range(4)]
        assert ends == ["01-31", "02-28", "03-31", "04-30"]

    def test_no_period_has_begun_before_the_anchor(self) -> None:
        anchor = datetime(2026, 1, 31, tzinfo=UTC)
        assert begun(anchor, TarifficationPeriod.DAY, anchor - timedelta(seconds=1)) == 0


class TestCharging:
    async def test_a_period_is_charged_once_when_it_begins(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(PAYER, 10 * NANO)
        await learn(harness, rent(clock))
        await asyncio.gather(*(charge_rents(harness.state) for _ in range(4)))
        assert await harness.money(PAYER) == (9 * NANO, 0, 0)
        clock.advance(timedelta(minutes=59))
        await charge_rents(harness.state)
        assert await harness.money(OWNER) == (0, NANO, 0)
        clock.advance(timedelta(minutes=1))
        await charge_rents(harness.state)
        assert await harness.money(PAYER) == (8 * NANO, 0, 0)
        assert (await harness.verify()).sound

    async def test_missed_periods_are_charged_together(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(PAYER, 10 * NANO)
        start = clock.now()
        await learn(harness, rent(clock))
        clock.advance(timedelta(hours=4, minutes=30))
        await charge_rents(harness.state)
        assert await charges(harness) == [(start, 5, 5 * NANO)]

    async def test_the_commission_stays_with_the_platform(self, harness: Harness, clock: ManualClock) -> None:
        harness = harness.with_settings(commission_basis_points=1000)
        await harness.refill(PAYER, 10 * NANO)
        await learn(harness, rent(clock))
        await charge_rents(harness.state)
        assert await harness.money(OWNER) == (0, 9 * NANO // 10, 0)
        assert (await harness.verify()).sound

    async def test_a_payer_without_money_owes_the_rent_and_is_blocked(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(PAYER, NANO // 4)
        await learn(harness, rent(clock))
        await charge_rents(harness.state)
        assert await harness.blocked(PAYER)
        assert await harness.money(OWNER) == (0, NANO // 4, 0)
        await harness.refill(PAYER, NANO)
        assert await harness.money(OWNER) == (0, NANO, 0)
        assert not await harness.blocked(PAYER)
        assert (await harness.verify()).sound

    async def test_own_and_free_resources_cost_nothing(self, harness: Harness, clock: ManualClock) -> None:
        await learn(harness, rent(clock, owner_account_id=PAYER), rent(clock, rent_id=8, price_nano=0))
        await charge_rents(harness.state)
        assert await charges(harness) == []

    @pytest.mark.parametrize("price", [-1, 2**63])
    async def test_an_impossible_price_is_parked(self, harness: Harness, clock: ManualClock, price: int) -> None:
        with pytest.raises(ImplausibleRentError):
            await learn(harness, rent(clock, price_nano=price))


class TestChanges:
    async def test_new_terms_apply_after_the_paid_period(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(PAYER, 100 * NANO)
        start = clock.now()
        await learn(harness, rent(clock, now=start))
        await charge_rents(harness.state)
        clock.advance(timedelta(minutes=30))
        changed = rent(clock, version=2, price_nano=5 * NANO, period="DAY", started_at=start)
        await learn(harness, changed)
        await charge_rents(harness.state)
        assert await charges(harness) == [(start, 1, NANO)]
        clock.advance(timedelta(minutes=30))
        await charge_rents(harness.state)
        assert await charges(harness) == [(start, 1, NANO), (start + timedelta(hours=1), 1, 5 * NANO)]

    async def test_a_late_event_of_the_end_is_charged_until_the_end_by_the_former_terms(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(PAYER, 100 * NANO)
        start = clock.now()
        await learn(harness, rent(clock, now=start))
        end = start + timedelta(hours=2, minutes=10)
        clock.advance(timedelta(hours=9))
        await learn(harness, rent(clock, version=2, started_at=start, changed_at=end, ended_at=end))
        clock.advance(timedelta(hours=9))
        await charge_rents(harness.state)
        assert await harness.money(PAYER) == (97 * NANO, 0, 0)

    async def test_a_rent_that_ends_with_a_period_begins_no_further_one(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(PAYER, 100 * NANO)
        start = clock.now()
        end = start + timedelta(hours=2)
        await learn(harness, rent(clock, now=start, ended_at=end))
        clock.advance(timedelta(days=1))
        await charge_rents(harness.state)
        assert await harness.money(PAYER) == (98 * NANO, 0, 0)
        assert await harness.query("SELECT due FROM rent") == [(False,)]

    async def test_a_rent_resumed_within_the_paid_period_costs_nothing_until_its_end(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(PAYER, 100 * NANO)
        start = clock.now()
        await learn(harness, rent(clock, now=start))
        await charge_rents(harness.state)
        pause, again = start + timedelta(minutes=10), start + timedelta(minutes=20)
        clock.advance(timedelta(minutes=30))
        await learn(
            harness,
            rent(clock, version=2, started_at=start, changed_at=pause, ended_at=pause),
            rent(clock, version=3, started_at=start, changed_at=again),
        )
        await charge_rents(harness.state)
        assert await charges(harness) == [(start, 1, NANO)]
        clock.advance(timedelta(minutes=30))
        await charge_rents(harness.state)
        assert await charges(harness) == [(start, 1, NANO), (start + timedelta(hours=1), 1, NANO)]

    async def test_a_pause_between_uses_is_not_charged(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(PAYER, 100 * NANO)
        start = clock.now()
        end, again = start + timedelta(minutes=90), start + timedelta(hours=9, minutes=15)
        await learn(harness, rent(clock, now=start))
        clock.advance(timedelta(hours=10))
        await learn(
            harness,
            rent(clock, version=2, started_at=start, changed_at=end, ended_at=end),
            rent(clock, version=3, started_at=start, changed_at=again),
        )
        await charge_rents(harness.state)
        assert await charges(harness) == [(start, 2, 2 * NANO), (again, 1, NANO)]
        assert (await harness.verify()).sound

    async def test_an_older_state_changes_nothing(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(PAYER, 100 * NANO)
        await learn(harness, rent(clock, version=2), rent(clock, version=1, price_nano=50 * NANO))
        await charge_rents(harness.state)
        assert await harness.money(PAYER) == (99 * NANO, 0, 0)


class TestReports:
    async def _details(
        self, client: httpx.AsyncClient, headers: Mapping[str, str], account_id: int, side: str, query: str = ""
    ) -> dict[str, Any]:
        path = f"/api/mlpbilling/account/{account_id}/details/{side}/hosting{query}"
        answer = await client.get(path, headers=dict(headers))
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    async def test_payer_and_owner_see_the_same_rent(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(PAYER, 100 * NANO)
        await learn(harness, rent(clock), rent(clock, rent_id=8, source_type="SERVER", source_name="s1"))
        await charge_rents(harness.state)
        clock.advance(timedelta(hours=1))
        await charge_rents(harness.state)
        payer = identities.user(identities.account(PAYER, "one"))
        owner = identities.user(identities.account(OWNER, "acme"))
        query = f"?period=YEAR&date={clock.now().date()}"
        spending = await self._details(client, payer, PAYER, "spending", query)
        assert spending == await self._details(client, owner, OWNER, "income", query)
        assert spending["total"] == 4.0
        assert [
            (row["sourceType"], row["sourceName"], row["ownerId"], row["amountCurrency"]) for row in spending["items"]
        ] == [
            ("RESOURCE_GROUP", "gpu", OWNER, 2.0),
            ("SERVER", "s1", OWNER, 2.0),
        ]

    async def test_the_owner_sees_only_received_money(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(PAYER, NANO // 2)
        await learn(harness, rent(clock))
        await charge_rents(harness.state)
        owner = identities.user(identities.account(OWNER, "acme"))
        assert (await self._details(client, owner, OWNER, "income"))["total"] == 0.5
        await harness.refill(PAYER, NANO)
        assert (await self._details(client, owner, OWNER, "income"))["total"] == 1.0

    async def test_without_rents_the_report_is_empty(self, client: httpx.AsyncClient, identities: Identities) -> None:
        headers = identities.user(identities.account(PAYER, "one"))
        for side in ("income", "spending"):
            assert await self._details(client, headers, PAYER, side) == {"total": 0.0, "items": []}
