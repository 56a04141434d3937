"""Tests that no usage is charged above the maximal price of the call, whatever the gate reports."""

from typing import Any

import pytest

from mlpbilling.features.directory.consumers import directory_consumer
from mlplace_contracts.events import ModelBilling, ModelChanged, ModelPublicity, ModelTimeouts
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import NANO, Currency
from mlplace_kit.pricing import BillingUnit
from services.mlpbilling.tests.conftest import Harness, usage_of

HUGE = 2**62


def model_changed(version: int, **about: object) -> ModelChanged:
    values: dict[str, object] = {
        "version": version, "model_id": 20, "model_name": "ner", "account_id": 2, "account_name": "a",
        "task_type": "ner", "active": True, "prototype": False, "fittable": False, "composite": False,
        "hosting_type": "EXTERNAL", "reject_if_inactive": True,
        "timeouts": ModelTimeouts(pod_start=1, predict=1, fit=1),
        "billing": ModelBilling(enabled=True, unit=BillingUnit.DIRECT, unit_price_nano=0, currency=Currency.RUBLE, free_unit_quota=0),
        "publicity": ModelPublicity(is_public=True, hidden=False, public_testing_allowed=False), **about,
    }  # fmt: skip
    return ModelChanged.model_validate(values)


async def know(harness: Harness, *events: ModelChanged) -> None:
    for event in events:
        async with harness.database.transaction() as session:
            await directory_consumer(harness.state).handle(session, [event])


async def charged(harness: Harness) -> list[tuple[object, ...]]:
    rows = await harness.query("SELECT charged_nano, units, reported_units, capped_by FROM usage ORDER BY charged_nano")
    return [tuple(row) for row in rows]


def direct(clock: ManualClock, amount: int, **about: Any):
    return usage_of(clock, amount, units=amount, unit_price_nano=1, billing_unit="direct", **about)


class TestCharge:
    async def test_a_charge_of_an_unknown_model_is_limited_by_the_event(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.charge(direct(clock, HUGE, max_price_nano=5 * NANO))
        assert await charged(harness) == [(5 * NANO, 5 * NANO, HUGE, "model")]

    async def test_a_charge_without_a_published_limit_is_limited_by_the_platform(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.charge(direct(clock, HUGE))
        assert await charged(harness) == [(100 * NANO, 100 * NANO, HUGE, "model")]

    async def test_a_charge_is_limited_by_the_published_price_whatever_the_gate_reports(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await know(harness, model_changed(1, max_price_nano=7))
        await harness.charge(direct(clock, HUGE, max_price_nano=HUGE), direct(clock, 6, max_price_nano=HUGE))
        assert [row[0] for row in await charged(harness)] == [6, 7]
        assert (await harness.verify()).sound

    async def test_a_charge_after_a_change_may_cost_the_formerly_published_price(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await know(harness, *(model_changed(version, max_price_nano=most) for version, most in ((1, 90), (2, 5))))
        await know(harness, model_changed(3, max_price_nano=5, model_name="other"))
        await harness.charge(direct(clock, 80, max_price_nano=90), direct(clock, HUGE, max_price_nano=HUGE))
        assert [row[0] for row in await charged(harness)] == [80, 90]

    async def test_a_charge_never_exceeds_the_price_of_its_units(self, harness: Harness, clock: ManualClock) -> None:
        await harness.charge(usage_of(clock, NANO, units=2, unit_price_nano=3))
        assert await charged(harness) == [(6, 2, 2, "model")]

    async def test_free_units_count_within_the_limit(self, harness: Harness, clock: ManualClock) -> None:
        held = await harness.reserve(minimum_nano=0, wanted_nano=0, free_unit_quota=30, wanted_free_units=30)
        await harness.charge(direct(clock, HUGE, max_price_nano=20, reservation_id=held.reservation_id))
        assert await harness.query("SELECT charged_nano, free_units FROM usage") == [(0, 20)]

    async def test_figures_that_the_gate_reported_are_stored(self, harness: Harness, clock: ManualClock) -> None:
        told = {"max_price_nano": 9, "reported_units": 500, "reported_amount_nano": 500, "capped_by": "caller"}
        await harness.charge(direct(clock, 9, **told))
        assert await charged(harness) == [(9, 9, 500, "caller")]

    @pytest.mark.parametrize("name", ["max_price_nano", "reported_units", "reported_amount_nano"])
    async def test_a_usage_with_impossible_figures_is_refused(
        self, harness: Harness, clock: ManualClock, name: str
    ) -> None:
        with pytest.raises(ValueError, match="outside"):
            await harness.charge(direct(clock, 9, **{name: 2**63}))
