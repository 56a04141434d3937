"""Tests payment attempts with reports in any order, and with crashes at any statement."""

import itertools
from collections.abc import Generator, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from mlpbilling.features.payments.loops import check_payments
from mlpbilling.features.payments.service import CardPayments
from mlpbilling.features.payments.settling import PaymentSettlement, PaymentVerdict, ReportSource
from mlpbilling.features.payments.states import OPEN, TRANSITIONS, AttemptState, expire, transition
from mlpbilling.main import MIGRATIONS
from mlpbilling.payment_provider import Outcome, Report
from mlplace_kit.money import Currency
from mlplace_testing.plugin import DatabaseFactory

from .ledger_world import World
from .payment_world import AMOUNT, AnyPath, TwinProvider
from .test_machine import FUZZ

outcomes = st.lists(st.sampled_from(list(Outcome)), max_size=12)
EXPIRY, LOOK_UP = "expiry", "look-up"
news = st.lists(st.sampled_from([*Outcome, EXPIRY, LOOK_UP]), max_size=8)


class TestTransitions:
    @given(outcomes, st.sampled_from(list(AttemptState)))
    def test_a_paid_attempt_always_succeeds(self, told: list[Outcome], start: AttemptState) -> None:
        state = start
        for outcome in told:
            state = transition(expire(state), outcome)
        assert (state is AttemptState.SUCCEEDED) == (start is AttemptState.SUCCEEDED or Outcome.PAID in told)

    @given(outcomes)
    def test_an_ended_attempt_never_reopens(self, told: list[Outcome]) -> None:
        state = expire(AttemptState.PENDING)
        for outcome in told:
            state = transition(state, outcome)
            assert state not in OPEN

    def test_every_state_has_transitions(self) -> None:
        assert set(TRANSITIONS) == set(AttemptState)


class Cards:
    """One database for all examples, each with its own account."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.provider = TwinProvider()
        self.state = replace(world.harness.state, provider=self.provider, redirects=AnyPath())

    def begin(self) -> tuple[int, Report]:
        account_id = next(self.world.accounts)
        payments = CardPayments(self.state, self.provider, AnyPath())
        url = self.world.run(
            payments.start(
                account_id=account_id,
                user_id=1,
                amount_nano=AMOUNT,
                redirect_url="/",
                platform_url="http://testserver",
            )
        )
        return account_id, self.provider.payments[url.rpartition("/")[2]]

    async def settle(self, report: Report) -> PaymentVerdict:
        async with self.state.database.transaction() as session:
            return await PaymentSettlement(self.state, self.provider.name).settle(
                session, report, ReportSource.CALLBACK
            )

    async def check(self) -> None:
        await check_payments(self.state, self.provider)

    def main_of(self, account_id: int) -> int:
        return self.world.run(self.world.harness.money(account_id, Currency.RUBLE))[0]


@pytest.fixture
async def url(database_factory: DatabaseFactory) -> str:
    return (await database_factory("mlpbilling", MIGRATIONS)).service_url


@pytest.fixture
def cards(url: str) -> Generator[Cards]:
    world = World(url)
    yield Cards(world)
    world.close()


class TestAnyOrderOfReports:
    @settings(
        max_examples=200 if FUZZ else 25,
        derandomize=not FUZZ,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
    )
    @given(told=news, crash=st.none() | st.integers(0, 20))
    def test_the_ledger_is_credited_once_or_not_at_all(
        self, cards: Cards, told: Sequence[str], crash: int | None
    ) -> None:
        account_id, report = cards.begin()
        for one in told:
            if one == EXPIRY:
                cards.world.clock.advance(timedelta(minutes=31))
                cards.world.run(cards.check())
            elif one == LOOK_UP:
                cards.world.clock.advance(timedelta(seconds=20))
                cards.world.run(cards.check())
            else:
                outcome = Outcome(one)
                if outcome is Outcome.PAID:
                    cards.provider.settle(report.payment_id, outcome)
                fresh = replace(report, outcome=outcome)
                cards.world.once(lambda fresh=fresh: cards.settle(fresh), crash, lambda: None)
        assert cards.main_of(account_id) == (AMOUNT if Outcome.PAID in told else 0)
        assert cards.world.run(cards.world.harness.verify()).sound


class TestKilled:
    """The provider has the money, and the platform crashes before it is in the ledger."""

    def test_a_crash_at_any_statement_of_the_callback_applies_it_fully_or_not_at_all(self, cards: Cards) -> None:
        account_id, report = cards.begin()
        cards.provider.settle(report.payment_id, Outcome.PAID)
        paid = replace(report, outcome=Outcome.PAID)
        for statement in itertools.count():
            if not cards.world.dies(cards.settle(paid), statement):
                assert statement > 8
                break
            assert cards.main_of(account_id) == 0
            assert cards.world.run(cards.world.harness.query(_STATE)) == [("PENDING",)]
        assert cards.main_of(account_id) == AMOUNT
        assert cards.world.run(cards.settle(paid)) is PaymentVerdict.REPEATED
        assert cards.world.run(cards.world.harness.verify()).sound

    def test_after_a_crash_before_the_callback_the_next_look_up_credits_the_money(self, cards: Cards) -> None:
        account_id, report = cards.begin()
        cards.provider.settle(report.payment_id, Outcome.PAID)
        for statement in range(30):
            cards.world.clock.advance(timedelta(minutes=20))
            cards.world.dies(cards.check(), statement)
        assert cards.main_of(account_id) == AMOUNT
        assert cards.world.run(cards.world.harness.verify()).sound

    def test_a_crash_before_the_call_to_the_provider_credits_nothing(self, cards: Cards) -> None:
        account_id = next(cards.world.accounts)
        payments = CardPayments(cards.state, cards.provider, AnyPath())
        order = {"account_id": account_id, "user_id": 1, "amount_nano": AMOUNT, "redirect_url": "/"}
        died = 0
        while cards.world.dies(payments.start(**order, platform_url="http://testserver"), died):  # type: ignore[arg-type]  # a mixture of what the keywords want
            died += 1
        assert died > 3
        cards.world.clock.advance(timedelta(minutes=31))
        cards.world.run(cards.check())
        states = {row[0] for row in cards.world.run(cards.world.harness.query(_STATE))}
        assert states == {"EXPIRED"}
        assert cards.main_of(account_id) == 0


_STATE = "SELECT state FROM payment_attempt"
