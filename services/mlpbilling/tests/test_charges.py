import asyncio
import uuid
from collections import Counter
from datetime import timedelta

import pytest

from mlpbilling.features.charges.consumers import usage_consumer
from mlplace_contracts.events import BalanceChanged, UsageRecorded
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import NANO
from mlplace_runtime.bus.consumer import ConsumerRunner
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.port import Delivered, Record
from mlplace_runtime.db.outbox import outbox_row
from mlplace_testing.events import published

from .conftest import RUBLE, TOKEN, Harness, usage_of


def delivered(event: UsageRecorded, clock: ManualClock) -> Delivered:
    value = outbox_row(event, clock)["value"]
    assert isinstance(value, bytes)
    return Delivered(Record(event.topic.name, event.key, value), 0, 0)


class TestCharge:
    async def test_the_price_goes_from_the_payer_to_the_owner(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 10 * NANO)
        await harness.charge(usage_of(clock, 3 * NANO))
        assert await harness.money(1) == (7 * NANO, 0, 0)
        assert await harness.money(2) == (0, 3 * NANO, 0)
        assert (await harness.verify()).sound

    async def test_the_commission_stays_with_the_platform(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, NANO)
        await harness.with_settings(commission_basis_points=250).charge(usage_of(clock, 1001))
        assert (await harness.money(2))[1] == 976  # 1001 x 2.5 % = 25.025, rounded down
        kinds = (
            "SELECT a.kind, amount_nano FROM posting JOIN ledger_account a ON a.id = ledger_account_id "
            "JOIN ledger_transaction t ON t.id = transaction_id WHERE t.kind = 'CHARGE'"
        )
        assert {tuple(row) for row in await harness.query(kinds)} == {
            ("MAIN", -1001),
            ("INCOME", 976),
            ("PLATFORM_FEE", 25),
        }

    async def test_a_commission_of_100_percent_creates_no_empty_posting(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, 5)
        await harness.with_settings(commission_basis_points=10_000).charge(usage_of(clock, 5))
        assert await harness.money(2) == (0, 0, 0)
        assert (await harness.verify()).sound

    @pytest.mark.parametrize("case", [{"owner": 1}, {"amount": 0}])
    async def test_calls_of_own_and_free_models_are_recorded_without_a_charge(
        self, harness: Harness, clock: ManualClock, case: dict[str, int]
    ) -> None:
        await harness.charge(usage_of(clock, **case))
        assert await harness.query("SELECT charged_nano, transaction_id FROM usage") == [(0, None)]
        assert await harness.query("SELECT * FROM posting") == []
        assert await harness.query("SELECT * FROM billing_account") == []

    async def test_a_repeated_usage_changes_nothing(self, harness: Harness, clock: ManualClock) -> None:
        usage = usage_of(clock)
        await harness.charge(usage, usage)
        await harness.charge(usage)
        assert await harness.money(1) == (-NANO, 0, 0)

    async def test_a_batch_publishes_one_balance_change_per_account(self, harness: Harness, clock: ManualClock) -> None:
        for payer in (1, 2, 3):
            await harness.refill(payer, 10 * NANO)
        refills = len(await published(harness.database, BalanceChanged))
        await harness.charge(*(usage_of(clock, payer=1 + n % 3, owner=9) for n in range(30)))
        events = (await published(harness.database, BalanceChanged))[refills:]
        assert Counter(event.account_id for event in events) == {1: 1, 2: 1, 3: 1, 9: 1}
        assert {(event.version, event.main_nano, event.income_nano) for event in events} == {
            (2, 0, 0),
            (1, 0, 30 * NANO),
        }

    async def test_currencies_never_mix(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 10 * NANO, RUBLE)
        await harness.refill(1, 10 * NANO, TOKEN)
        await harness.charge(usage_of(clock, currency="TOKEN"), usage_of(clock, 4 * NANO))
        assert await harness.money(1, TOKEN) == (9 * NANO, 0, 0)
        assert await harness.money(1, RUBLE) == (6 * NANO, 0, 0)
        assert await harness.money(2, TOKEN) == (0, NANO, 0)
        found = await harness.verify()
        assert found.sound
        assert found.sums == {"RUBLE": 0, "TOKEN": 0}


class TestBlocking:
    async def test_below_zero_blocks_and_a_refill_unblocks(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, NANO)
        await harness.charge(usage_of(clock, NANO))
        assert not await harness.blocked(1)
        await harness.charge(usage_of(clock, 1))
        assert await harness.blocked(1)
        await harness.refill(1, NANO)
        assert not await harness.blocked(1)
        events = [e for e in await published(harness.database, BalanceChanged) if e.account_id == 1]
        assert [(e.version, e.blocked) for e in events] == [(1, False), (2, False), (3, True), (4, False)]

    async def test_a_block_is_published_for_the_other_currency_too(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, NANO, TOKEN)
        await harness.charge(usage_of(clock, 1))
        events = await published(harness.database, BalanceChanged)
        assert {(e.currency, e.version, e.blocked) for e in events if e.account_id == 1} == {
            ("TOKEN", 1, False),
            ("TOKEN", 2, True),
            ("RUBLE", 1, True),
        }

    async def test_the_feature_no_blocking_allows_a_negative_balance(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.charge(usage_of(clock, 1))
        await harness.set_no_blocking(1)
        assert not await harness.blocked(1)
        await harness.set_no_blocking(1, enabled=False, version=3)
        assert await harness.blocked(1)
        await harness.set_no_blocking(1, enabled=True, version=2)
        assert await harness.blocked(1), "an older version must not count"


class TestReserved:
    async def test_usage_takes_from_its_reservation(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 80 * NANO)
        held = await harness.reserve(wanted_nano=5 * NANO)
        await harness.charge(*(usage_of(clock, 2 * NANO, reservation_id=held.reservation_id) for _ in range(2)))
        assert await harness.money(1) == (76 * NANO, 0, NANO)
        await harness.charge(usage_of(clock, 2 * NANO, reservation_id=held.reservation_id))
        assert await harness.money(1) == (74 * NANO, 0, 0)
        assert (await harness.verify()).sound

    @pytest.mark.parametrize(
        "other", [{"payer": 5}, {"currency": "TOKEN"}, {"model_id": 21}, {"reservation_id": uuid.uuid4()}]
    )
    async def test_usage_does_not_touch_reservations_of_other_payers_or_models(
        self, harness: Harness, clock: ManualClock, other: dict[str, object]
    ) -> None:
        await harness.refill(1, 80 * NANO)
        held = await harness.reserve(wanted_nano=5 * NANO)
        named: dict[str, object] = {"reservation_id": held.reservation_id}
        await harness.charge(usage_of(clock, **(named | other)))  # type: ignore[arg-type]  # keyword arguments as data
        assert (await harness.money(1))[2] == 5 * NANO
        assert (await harness.verify()).sound

    async def test_usage_after_the_end_of_its_reservation_is_charged(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, 8 * NANO)
        held = await harness.reserve()
        clock.advance(timedelta(seconds=61))
        await harness.expire()
        await harness.charge(usage_of(clock, reservation_id=held.reservation_id))
        assert await harness.money(1) == (7 * NANO, 0, 0)
        assert (await harness.verify()).sound


class TestFreeUnits:
    async def test_free_units_are_used_first_and_money_pays_the_rest(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, 100 * NANO)
        held = await harness.reserve(free_unit_quota=5, wanted_free_units=5)
        custom = {"billing_unit": "custom", "unit_price_nano": 10, "reservation_id": held.reservation_id}
        await harness.charge(
            usage_of(clock, 30, units=3, **custom),
            usage_of(clock, 40, units=4, **custom),
            usage_of(clock, 10, units=1, **custom),
        )
        rows = await harness.query("SELECT free_units, charged_nano FROM usage ORDER BY units DESC")
        assert [tuple(row) for row in rows] == [(2, 20), (3, 0), (0, 10)]
        assert await harness.query("SELECT used, held FROM free_units") == [(5, 0)]

    async def test_a_direct_price_uses_one_free_unit_per_nano_unit(self, harness: Harness, clock: ManualClock) -> None:
        held = await harness.reserve(minimum_nano=0, wanted_nano=0, free_unit_quota=30, wanted_free_units=30)
        direct = {"billing_unit": "direct", "unit_price_nano": 0, "reservation_id": held.reservation_id}
        await harness.charge(usage_of(clock, 50, units=50, **direct))
        assert (await harness.money(1))[0] == -20

    async def test_a_free_call_uses_no_free_units(self, harness: Harness, clock: ManualClock) -> None:
        held = await harness.reserve(minimum_nano=0, wanted_nano=0, free_unit_quota=3, wanted_free_units=3)
        await harness.charge(usage_of(clock, 0, reservation_id=held.reservation_id))
        assert await harness.query("SELECT used, held FROM free_units") == [(0, 3)]


class TestConsumer:
    async def test_concurrent_deliveries_charge_once(self, harness: Harness, bus: LocalBus, clock: ManualClock) -> None:
        usages = [usage_of(clock, payer=1 + n % 4, owner=1 + (n + 1) % 4) for n in range(40)]
        runners = [ConsumerRunner(usage_consumer(harness.state), harness.database, bus) for _ in range(4)]
        # Each delivery has its own envelope, unknown to the inbox, so only the usage id can detect it.
        batches = [[delivered(usage, clock) for usage in usages[shift:] + usages[:shift]] for shift in (0, 10, 20, 30)]
        await asyncio.gather(*(runner.handle(batch) for runner, batch in zip(runners, batches, strict=True)))
        assert await harness.query("SELECT count(*), sum(charged_nano) FROM usage") == [(40, 40 * NANO)]
        found = await harness.verify()
        assert found.sound
        assert await harness.query("SELECT * FROM dead_letter") == []

    @pytest.mark.parametrize(
        "bad",
        [
            {"amount_nano": -1},
            {"units": -5},
            {"unit_price_nano": -(2**70)},
            {"amount_nano": 2**63},
            {"request_id": "a\x00b"},
        ],
    )
    async def test_an_implausible_usage_is_parked_and_the_others_are_charged(
        self, harness: Harness, bus: LocalBus, clock: ManualClock, bad: dict[str, object]
    ) -> None:
        batch = [usage_of(clock), usage_of(clock, **bad), usage_of(clock)]  # type: ignore[arg-type]  # data
        runner = ConsumerRunner(usage_consumer(harness.state), harness.database, bus)
        await runner.handle([delivered(usage, clock) for usage in batch])
        assert (await harness.money(1))[0] == -2 * NANO
        assert await harness.query("SELECT count(*) FROM dead_letter") == [(1,)]

    async def test_a_charge_that_would_exceed_63_bits_is_refused(
        self, harness: Harness, bus: LocalBus, clock: ManualClock
    ) -> None:
        runner = ConsumerRunner(usage_consumer(harness.state), harness.database, bus)
        huge = [delivered(usage_of(clock, 2**62), clock) for _ in range(3)]
        await runner.handle(huge)
        assert (await harness.money(1))[0] == -(2**62)
        assert await harness.query("SELECT count(*) FROM dead_letter") == [(2,)]
        assert (await harness.verify()).sound
