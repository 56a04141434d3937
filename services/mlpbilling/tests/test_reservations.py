import asyncio
import uuid
from datetime import timedelta
from decimal import Decimal

import httpx
import pytest

from mlpbilling.features.reservations.errors import ReservationChanged
from mlplace_contracts.events import BalanceChanged
from mlplace_contracts.internal.billing import Reservation
from mlplace_contracts.internal.billing_refusals import AccountBlocked, InsufficientFunds
from mlplace_kit.clock import ManualClock
from mlplace_kit.errors import NotFound
from mlplace_kit.money import NANO
from mlplace_testing.events import published
from mlplace_testing.identities import Identities

from .conftest import Harness, reservation_body, usage_of


class TestReserve:
    async def test_held_money_cannot_be_granted_to_others(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 3 * NANO)
        first = await harness.reserve(minimum_nano=2 * NANO, wanted_nano=2 * NANO)
        assert (first.granted_nano, first.usable_until, first.expires_at) == (
            2 * NANO,
            clock.now() + timedelta(seconds=45),
            clock.now() + timedelta(seconds=55),
        )
        assert await harness.money(1) == (3 * NANO, 0, 2 * NANO)
        with pytest.raises(InsufficientFunds):
            await harness.reserve(minimum_nano=2 * NANO, wanted_nano=2 * NANO)
        assert (await harness.reserve()).granted_nano == NANO

    @pytest.mark.parametrize(
        ("balance", "minimum", "wanted", "granted"),
        [
            (800, 1, 100, 100),
            (800, 1, 101, 100),
            (799, 1, 100, 99),
            (10, 1, 100, 1),
            (10, 5, 100, 5),
            (10, 10, 100, 10),
            (10, 10, 0, 10),
            (7, 0, 100, 0),
        ],
    )
    async def test_grants_shrink_with_the_balance_but_not_below_one_call(
        self, harness: Harness, balance: int, minimum: int, wanted: int, granted: int
    ) -> None:
        await harness.refill(1, balance)
        assert (await harness.reserve(minimum_nano=minimum, wanted_nano=wanted)).granted_nano == granted

    async def test_of_fifty_concurrent_gates_ten_get_money_for_ten_calls(self, harness: Harness) -> None:
        await harness.refill(1, 10 * NANO)
        answers = await asyncio.gather(*(harness.reserve() for _ in range(50)), return_exceptions=True)
        assert sum(isinstance(answer, Reservation) for answer in answers) == 10
        assert sum(isinstance(answer, InsufficientFunds) for answer in answers) == 40
        assert await harness.money(1) == (10 * NANO, 0, 10 * NANO)
        assert (await harness.verify()).sound

    async def test_money_that_others_hold_is_recalled_for_a_waiting_gate(self, harness: Harness) -> None:
        await harness.refill(1, NANO)
        held = await harness.reserve()
        waiting = uuid.uuid4()
        empty = await harness.reserve(reservation_id=waiting, recall=True)
        assert (empty.granted_nano, empty.granted_free_units) == (0, 0)
        told = await published(harness.database, BalanceChanged)
        assert [(event.unused_wanted, event.rests_wanted) for event in told] == [(False, False), (True, True)]
        assert told[0].version < told[1].version
        await harness.release(held.reservation_id)
        assert (await harness.reserve(reservation_id=waiting, recall=True)).granted_nano == NANO
        assert (await harness.verify()).sound

    async def test_nothing_is_recalled_if_nothing_is_held(self, harness: Harness) -> None:
        await harness.refill(1, NANO - 1)
        with pytest.raises(InsufficientFunds):
            await harness.reserve(recall=True)

    async def test_a_repeated_request_gets_the_first_answer(self, harness: Harness) -> None:
        await harness.refill(1, 100 * NANO)
        known = uuid.uuid4()
        answers = await asyncio.gather(*(harness.reserve(reservation_id=known) for _ in range(5)))
        assert answers == [answers[0]] * 5
        assert (await harness.money(1))[2] == NANO
        with pytest.raises(ReservationChanged):
            await harness.reserve(reservation_id=known, wanted_nano=2 * NANO)

    async def test_a_blocked_account_gets_not_even_free_units(self, harness: Harness, clock: ManualClock) -> None:
        await harness.charge(usage_of(clock))
        with pytest.raises(AccountBlocked):
            await harness.reserve(free_unit_quota=5, wanted_free_units=5)

    async def test_the_feature_no_blocking_gives_credit_up_to_its_limit(self, harness: Harness) -> None:
        limited = harness.with_settings(credit_limit=Decimal(3))
        await harness.set_no_blocking(1)
        for _ in range(3):
            await limited.reserve()
        with pytest.raises(InsufficientFunds):
            await limited.reserve()


class TestFreeUnits:
    async def test_free_units_are_granted_without_money_up_to_the_quota(self, harness: Harness) -> None:
        first = await harness.reserve(free_unit_quota=10, wanted_free_units=7)
        assert (first.granted_nano, first.granted_free_units) == (0, 7)
        assert (await harness.reserve(free_unit_quota=10, wanted_free_units=7)).granted_free_units == 3
        with pytest.raises(InsufficientFunds):
            await harness.reserve(free_unit_quota=10, wanted_free_units=7)

    async def test_concurrent_gates_never_get_more_than_the_quota(self, harness: Harness) -> None:
        answers = await asyncio.gather(
            *(harness.reserve(free_unit_quota=10, wanted_free_units=3) for _ in range(12)), return_exceptions=True
        )
        assert sum(answer.granted_free_units for answer in answers if isinstance(answer, Reservation)) == 10

    async def test_a_new_month_brings_new_free_units(self, harness: Harness, clock: ManualClock) -> None:
        await harness.reserve(free_unit_quota=2, wanted_free_units=2)
        next_month = (clock.now().replace(day=1) + timedelta(days=32)).replace(day=1)
        clock.advance(next_month - clock.now())
        assert (await harness.reserve(free_unit_quota=2, wanted_free_units=2)).granted_free_units == 2

    async def test_each_payer_and_model_has_its_own_free_units(self, harness: Harness) -> None:
        for payer, model in ((1, 20), (1, 21), (5, 20)):
            granted = await harness.reserve(payer, model_id=model, free_unit_quota=2, wanted_free_units=9)
            assert granted.granted_free_units == 2

    async def test_a_huge_quota_is_accepted(self, harness: Harness) -> None:
        granted = await harness.reserve(free_unit_quota=2**80, wanted_free_units=5)
        assert granted.granted_free_units == 5


class TestRelease:
    async def test_a_release_frees_all_but_what_was_spent(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 80 * NANO)
        held = await harness.reserve(wanted_nano=10 * NANO, free_unit_quota=9, wanted_free_units=9)
        await harness.charge(
            usage_of(clock, 9 * NANO, units=9, unit_price_nano=NANO, reservation_id=held.reservation_id)
        )
        await harness.charge(usage_of(clock, 4 * NANO, reservation_id=held.reservation_id))
        left = await harness.release(held.reservation_id, nano=7 * NANO, free=9)
        assert (left.granted_nano, left.granted_free_units) == (3 * NANO, 0)
        assert await harness.money(1) == (76 * NANO, 0, 3 * NANO)
        assert (await harness.release(held.reservation_id, nano=7 * NANO, free=9)) == left
        assert (await harness.verify()).sound

    async def test_spent_money_stays_held_until_its_usage_arrives(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, NANO)
        held = await harness.reserve()
        await harness.release(held.reservation_id, nano=NANO)
        clock.advance(timedelta(minutes=10))
        await harness.expire()
        with pytest.raises(InsufficientFunds):
            await harness.reserve()
        await harness.charge(usage_of(clock, reservation_id=held.reservation_id))
        assert await harness.money(1) == (0, 0, 0)
        assert not await harness.blocked(1)

    async def test_money_for_calls_in_progress_is_freed_when_their_gate_stops_reporting_them(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, 80)
        held = await harness.reserve(minimum_nano=1, wanted_nano=10)
        for _ in range(3):
            told = await harness.release(held.reservation_id, nano=3, in_progress=(4, 0))
            assert (told.granted_nano, told.expires_at) == (7, clock.now() + timedelta(seconds=55))
            clock.advance(timedelta(seconds=54))
            await harness.expire()
            assert await harness.money(1) == (80, 0, 7)
        clock.advance(timedelta(seconds=1))
        await harness.expire()
        assert await harness.money(1) == (80, 0, 3), "what was spent is kept for its usage"
        await harness.charge(usage_of(clock, 3, reservation_id=held.reservation_id))
        assert await harness.money(1) == (77, 0, 0)
        assert (await harness.verify()).sound

    async def test_an_ended_reservation_holds_nothing_for_calls_in_progress(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, 80)
        held = await harness.reserve(minimum_nano=1, wanted_nano=10)
        clock.advance(timedelta(seconds=55))
        await harness.expire()
        told = await harness.release(held.reservation_id, in_progress=(4, 0))
        assert (told.granted_nano, told.expires_at) == (0, clock.now())

    async def test_a_call_that_costs_more_than_expected_leaves_less_for_calls_in_progress(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, 80)
        held = await harness.reserve(minimum_nano=1, wanted_nano=10)
        told = await harness.release(held.reservation_id, nano=8, in_progress=(4, 0))
        assert (told.granted_nano, told.expires_at) == (10, clock.now())
        clock.advance(timedelta(seconds=55))
        await harness.expire()
        assert await harness.money(1) == (80, 0, 8)

    async def test_a_release_below_the_charged_usage_is_accepted(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 80)
        held = await harness.reserve(minimum_nano=1, wanted_nano=10)
        await harness.charge(usage_of(clock, 4, reservation_id=held.reservation_id))
        assert (await harness.release(held.reservation_id)).granted_nano == 0
        assert await harness.money(1) == (76, 0, 0)
        assert (await harness.verify()).sound

    async def test_money_of_usage_that_never_arrives_is_freed_after_a_day(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, NANO)
        held = await harness.reserve()
        await harness.release(held.reservation_id, nano=NANO)
        clock.advance(timedelta(hours=25))
        await harness.expire()
        assert await harness.money(1) == (NANO, 0, 0)

    async def test_a_release_returns_free_units(self, harness: Harness) -> None:
        held = await harness.reserve(free_unit_quota=5, wanted_free_units=5)
        await harness.release(held.reservation_id, free=2)
        assert await harness.query("SELECT used, held FROM free_units") == [(0, 2)]

    async def test_an_unknown_reservation_is_not_found(self, harness: Harness) -> None:
        with pytest.raises(NotFound):
            await harness.release(uuid.uuid4())


class TestExpire:
    async def test_an_unreleased_reservation_expires_after_its_time_and_not_before(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.refill(1, 2 * NANO)
        await harness.reserve(free_unit_quota=5, wanted_free_units=5)
        clock.advance(timedelta(seconds=54))
        await harness.expire()
        assert (await harness.money(1))[2] == NANO
        clock.advance(timedelta(seconds=1))
        await harness.expire()
        assert await harness.money(1) == (2 * NANO, 0, 0)
        assert await harness.query("SELECT used, held FROM free_units") == [(0, 0)]
        assert (await harness.verify()).sound

    async def test_old_rows_are_deleted_once_they_hold_nothing(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 2 * NANO)
        await harness.reserve()
        clock.advance(timedelta(days=3))
        await harness.expire()
        assert await harness.query("SELECT count(*) FROM reservation") == [(0,)]
        assert (await harness.money(1))[2] == 0


class TestRoutes:
    async def test_the_routes_reserve_and_release(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness
    ) -> None:
        await harness.refill(1, 80 * NANO)
        body = reservation_body(reservation_id=str(uuid.uuid4()))
        made = await client.post("/internal/mlpbilling/reservations", json=body, headers=identities.internal)
        assert made.status_code == 200
        assert Reservation.model_validate_json(made.content).granted_nano == NANO
        path = f"/internal/mlpbilling/reservations/{body['reservation_id']}/release"
        spent = {"spent_nano": 5, "spent_free_units": 0}
        released = await client.post(path, json=spent, headers=identities.internal)
        assert Reservation.model_validate_json(released.content).granted_nano == 5

    @pytest.mark.parametrize(
        ("change", "status", "code"),
        [
            ({"minimum_nano": 10**15}, 402, "mlp.billing.insufficient_funds"),
            ({"payer_account_id": 6}, 403, "mlp.billing.account_blocked"),
            ({"minimum_nano": -1}, 400, "mlp.core.validation_error"),
            ({"wanted_nano": 2**63}, 400, "mlp.core.validation_error"),
            ({"currency": "EURO"}, 400, "mlp.core.validation_error"),
        ],
    )
    async def test_refusals_have_their_error_codes(
        self,
        client: httpx.AsyncClient,
        identities: Identities,
        harness: Harness,
        clock: ManualClock,
        change: dict[str, object],
        status: int,
        code: str,
    ) -> None:
        await harness.refill(1, NANO)
        await harness.charge(usage_of(clock, payer=6))
        body = reservation_body(reservation_id=str(uuid.uuid4())) | change
        answer = await client.post("/internal/mlpbilling/reservations", json=body, headers=identities.internal)
        assert (answer.status_code, answer.json()["code"]) == (status, code)
