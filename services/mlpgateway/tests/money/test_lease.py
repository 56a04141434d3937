"""Leases as data: what calls draw from them, and what is reported at the end."""

import uuid
from datetime import timedelta

import pytest

from mlpgateway.policy.money.balance_lease import BalanceLease, BalanceLeaseKey
from mlpgateway.policy.money.estimates import Estimates
from mlpgateway.policy.money.lease import Lease
from mlplace_contracts.events import ModelBilling
from mlplace_contracts.internal.billing import Reservation
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import Currency
from mlplace_kit.pricing import BillingUnit, Cost

CALL = Cost(1, 10)


def lease(clock: ManualClock, *, nano: int, free: int = 0) -> Lease:
    now = clock.now()
    until = now + timedelta(seconds=30)
    granted = Reservation(
        reservation_id=uuid.uuid4(), granted_nano=nano, granted_free_units=free, usable_until=until,
        expires_at=now + timedelta(seconds=60),
    )  # fmt: skip
    return Lease(granted, now)


def answer(one: Lease, clock: ManualClock, *, seconds: int) -> Reservation:
    return Reservation(
        reservation_id=one.reservation_id, granted_nano=10, granted_free_units=0, usable_until=clock.now(),
        expires_at=clock.now() + timedelta(seconds=seconds),
    )  # fmt: skip


class TestDraw:
    def test_draw_never_exceeds_the_lease(self, clock: ManualClock) -> None:
        one = lease(clock, nano=25)
        holds = [one.draw(CALL, clock.now()) for _ in range(3)]
        assert [hold is not None for hold in holds] == [True, True, False]

    def test_free_units_are_used_first_and_money_pays_the_rest(self, clock: ManualClock) -> None:
        one = lease(clock, nano=20, free=3)
        hold = one.draw(Cost(5, 10), clock.now())
        assert hold is not None
        assert (one.left_nano, one.left_free) == (0, 0)
        hold.spend(Cost(5, 10))
        assert (one.account().spent_nano, one.account().spent_free_units) == (20, 3)

    def test_hold_ends_once(self, clock: ManualClock) -> None:
        one = lease(clock, nano=100)
        hold = one.draw(CALL, clock.now())
        assert hold is not None
        hold.spend(CALL)
        hold.release()
        hold.spend(CALL)
        assert (one.left_nano, one.account().spent_nano, one.idle) == (90, 10, True)

    def test_higher_cost_is_taken_from_the_remainder(self, clock: ManualClock) -> None:
        one = lease(clock, nano=100)
        hold = one.draw(CALL, clock.now())
        assert hold is not None
        hold.spend(Cost(50, 10))
        assert one.left_nano == -400
        assert one.draw(CALL, clock.now()) is None

    def test_lower_cost_gives_the_rest_back(self, clock: ManualClock) -> None:
        one = lease(clock, nano=100, free=2)
        hold = one.draw(Cost(8, 10), clock.now())
        assert hold is not None
        hold.spend(Cost(1, 10))
        assert (one.left_nano, one.left_free) == (100, 1)


class TestHold:
    def test_hold_stands_until_the_last_expiry_of_mlpbilling(self, clock: ManualClock) -> None:
        one = lease(clock, nano=100)
        hold = one.draw(CALL, clock.now())
        assert hold is not None
        clock.advance(timedelta(seconds=50))
        assert one.must_report(clock.now())
        one.note_report(one.account(), answer(one, clock, seconds=60), clock.now())
        clock.advance(timedelta(seconds=29))
        assert (hold.is_held(clock.now()), one.must_report(clock.now())) == (True, False)
        clock.advance(timedelta(seconds=1))
        assert one.must_report(clock.now())
        clock.advance(timedelta(seconds=29))
        assert not hold.is_held(clock.now())

    def test_hold_released_by_mlpbilling_does_not_stand_and_is_not_reported_at_once(self, clock: ManualClock) -> None:
        for held in (None, -20):
            one = lease(clock, nano=100)
            hold = one.draw(CALL, clock.now())
            assert hold is not None
            one.note_report(one.account(), held and answer(one, clock, seconds=held), clock.now())
            assert not hold.is_held(clock.now())
            assert not one.must_report(clock.now())

    def test_lease_is_reported_once_more_when_its_calls_have_ended(self, clock: ManualClock) -> None:
        one = lease(clock, nano=100)
        hold = one.draw(CALL, clock.now())
        assert hold is not None
        one.note_report(one.account(), answer(one, clock, seconds=60), clock.now())
        hold.spend(CALL)
        assert one.must_report(clock.now())
        one.note_report(one.account(), answer(one, clock, seconds=60), clock.now())
        clock.advance(timedelta(hours=1))
        assert not one.must_report(clock.now())


class TestBalanceLease:
    def test_expired_lease_gives_nothing(self, clock: ManualClock) -> None:
        balance_lease = BalanceLease(BalanceLeaseKey(1, 2, 3, Currency.RUBLE))
        balance_lease.add(lease(clock, nano=100))
        clock.advance(timedelta(seconds=30))
        assert balance_lease.draw(CALL, clock.now()) is None

    def test_request_covers_a_minute_of_recent_calls(self, clock: ManualClock) -> None:
        balance_lease = BalanceLease(BalanceLeaseKey(1, 2, 3, Currency.RUBLE))
        asked = [balance_lease.calls_ahead(clock.now())]
        for calls in (200, 200, 0, 0, 0):
            balance_lease.add(lease(clock, nano=10_000))
            for _ in range(calls):
                balance_lease.draw(CALL, clock.now())
            clock.advance(timedelta(seconds=10))
            asked.append(balance_lease.calls_ahead(clock.now()))
        assert asked == [256, 1400, 1400, 700, 350, 175]

    def test_lease_is_low_below_half_and_after_a_quarter_of_its_time(self, clock: ManualClock) -> None:
        balance_lease = BalanceLease(BalanceLeaseKey(1, 2, 3, Currency.RUBLE))
        balance_lease.add(lease(clock, nano=40))
        lows = []
        for _ in range(3):
            balance_lease.draw(CALL, clock.now())
            lows.append(balance_lease.is_low(clock.now()))
        assert lows == [False, False, True]
        balance_lease.add(lease(clock, nano=40))
        clock.advance(timedelta(seconds=7))
        assert not balance_lease.is_low(clock.now())
        clock.advance(timedelta(seconds=1))
        assert balance_lease.is_low(clock.now())


class TestEstimates:
    CUSTOM = ModelBilling(
        enabled=True, unit=BillingUnit.CUSTOM, unit_price_nano=10, currency=Currency.RUBLE, free_unit_quota=0
    )

    def test_estimate_follows_recent_high_prices(self) -> None:
        estimates = Estimates(first_cost_nano=100)
        assert estimates.of(1, self.CUSTOM) == Cost(10, 10)
        for units in (800, 700, 1, 2):
            estimates.learn(1, units)
        assert estimates.of(1, self.CUSTOM) == Cost(700, 10)
        for _ in range(32):
            estimates.learn(1, 5)
        assert estimates.of(1, self.CUSTOM) == Cost(5, 10)

    @pytest.mark.parametrize("before", [0, 1, 5, 40])
    def test_single_answer_does_not_determine_the_estimate(self, before: int) -> None:
        estimates = Estimates(first_cost_nano=100)
        for _ in range(before):
            estimates.learn(1, 3)
        estimates.learn(1, 10**18)
        assert estimates.of(1, self.CUSTOM).units <= 10

    def test_least_recently_called_model_is_forgotten(self) -> None:
        estimates = Estimates(first_cost_nano=100)
        for model_id in range(10_000):
            estimates.learn(model_id, 3)
        estimates.learn(0, 3)
        estimates.learn(10_000, 3)
        assert estimates.of(0, self.CUSTOM) == Cost(3, 10)
        assert estimates.of(1, self.CUSTOM) == Cost(10, 10)

    def test_estimate_stays_within_the_ceiling(self) -> None:
        estimates = Estimates(first_cost_nano=100)
        estimates.learn(1, 10**18)
        estimates.learn(1, 10**18)
        assert estimates.of(1, self.CUSTOM, most_units=50) == Cost(50, 10)

    def test_typical_cost_is_known_after_enough_answers(self) -> None:
        estimates = Estimates(first_cost_nano=100)
        for number in range(19):
            estimates.learn(1, number)
        assert estimates.typical(1, self.CUSTOM) is None
        estimates.learn(1, 10**18)
        assert estimates.typical(1, self.CUSTOM) == Cost(10, 10)

    def test_call_with_a_fixed_price_costs_that_price(self) -> None:
        calls = ModelBilling(
            enabled=True, unit=BillingUnit.CALLS, unit_price_nano=7, currency=Currency.TOKEN, free_unit_quota=0
        )
        assert Estimates(first_cost_nano=100).of(1, calls) == Cost(1, 7)
