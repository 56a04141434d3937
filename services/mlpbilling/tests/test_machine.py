"""The ledger core against a plain model, on the real database, with crashes between any two statements.

`MLP_FUZZ=1` (`make fuzz`) runs it longer and with other examples each time.
"""

import itertools
import os
import uuid
from collections.abc import Awaitable, Callable, Generator
from datetime import timedelta
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    RuleBasedStateMachine,
    consumes,
    initialize,
    invariant,
    multiple,
    rule,
    run_state_machine_as_test,
)

from mlpbilling.features.refills.orders import RefillSource
from mlpbilling.main import MIGRATIONS
from mlplace_contracts.events import UsageRecorded
from mlplace_contracts.internal.billing_refusals import AccountBlocked, InsufficientFunds
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.money import Currency
from mlplace_testing.plugin import DatabaseFactory

from .conftest import usage_of
from .ledger_model import LedgerModel
from .ledger_world import ANSWER_LOST, COMMISSION, CREDIT, World

_Answer = TypeVar("_Answer")
FUZZ = os.environ.get("MLP_FUZZ") == "1"

crash_points = st.none() | st.integers(ANSWER_LOST, 24)
members = st.integers(0, 2)
currencies = st.sampled_from(["RUBLE", "RUBLE", "TOKEN"])
amounts = st.integers(0, 40)


class LedgerMachine(RuleBasedStateMachine):
    world: World

    reservations = Bundle("reservations")
    usages = Bundle("usages")
    refills = Bundle("refills")

    @initialize()
    def begin(self) -> None:
        self.base = next(self.world.accounts)
        self.harness = self.world.harness
        chosen = self.harness.state.settings
        self.model = LedgerModel(
            credit=CREDIT,
            commission=COMMISSION,
            usable=chosen.reservation_usable_seconds,
            expiry=chosen.reservation_expiry_seconds,
            settle=chosen.settle_hours * 3600,
        )
        self.versions = itertools.count(1)
        for account in range(self.base, self.base + 3):
            self.world.run(self.harness.refill(account, 150))
            self.model.main[account, "RUBLE"] += 150

    @property
    def now(self) -> float:
        return self.world.clock.now().timestamp()

    def once(self, work: Callable[[], Awaitable[_Answer]], crash: int | None) -> _Answer:
        return self.world.once(work, crash, self.agrees_with_the_model)

    @rule(target=refills, who=members, currency=currencies, amount=st.integers(1, 100), crash=crash_points)
    def refill(self, who: int, currency: str, amount: int, crash: int | None) -> tuple[int, str, int, str]:
        order = (self.base + who, currency, amount, uuid.uuid4().hex)
        self.once(lambda: self._refill(*order), crash)
        self.model.refill(self.base + who, currency, amount)
        return order

    @rule(order=refills, crash=crash_points)
    def refill_again(self, order: tuple[int, str, int, str], crash: int | None) -> None:
        self.once(lambda: self._refill(*order), crash)

    async def _refill(self, account: int, currency: str, amount: int, key: str) -> None:
        await self.harness.refill(account, amount, Currency(currency), key=key)

    @rule(who=members, currency=currencies, amount=st.integers(1, 60), crash=crash_points)
    def move_income(self, who: int, currency: str, amount: int, crash: int | None) -> None:
        account, key = self.base + who, uuid.uuid4().hex

        async def attempt() -> str | None:
            try:
                source = RefillSource.REFILL_FROM_INCOME
                await self.harness.refill(account, amount, Currency(currency), key=key, source=source)
            except ValidationFailed:
                return "refused"
            return None

        assert self.once(attempt, crash) == self.model.move_income(account, currency, amount)

    @rule(
        target=reservations,
        who=members,
        currency=currencies,
        model=st.integers(1, 2),
        money=st.tuples(st.integers(0, 20), amounts),
        free=st.sampled_from([(0, 0), (5, 3), (9, 9), (0, 3)]),
        crash=crash_points,
    )
    def reserve(
        self, who: int, currency: str, model: int, money: tuple[int, int], free: tuple[int, int], crash: int | None
    ) -> Any:
        payer, key = self.base + who, uuid.uuid4()
        wishes = {
            "reservation_id": key,
            "currency": currency,
            "model_id": model,
            "minimum_nano": money[0],
            "wanted_nano": money[1],
            "free_unit_quota": free[0],
            "wanted_free_units": free[1],
        }

        async def attempt() -> tuple[int, int] | str:
            try:
                granted = await self.harness.reserve(payer, **wishes)
            except AccountBlocked:
                return "blocked"
            except InsufficientFunds:
                return "poor"
            return granted.granted_nano, granted.granted_free_units

        answer = self.once(attempt, crash)
        assert answer == self.model.reserve(self.now, key, payer, currency, model, money, free)
        return key if key in self.model.held else multiple()

    @rule(
        target=usages,
        key=reservations,
        owner=members,
        units=st.integers(1, 4),
        price=st.integers(1, 20),
        crash=crash_points,
    )
    def settle(self, key: uuid.UUID, owner: int, units: int, price: int, crash: int | None) -> UsageRecorded:
        held = self.model.held[key]
        usage = self._usage(held.payer, owner, held.currency, held.model, units, price, key)
        self._charge([usage], crash)
        return usage

    @rule(
        target=usages,
        payer=members,
        owner=members,
        currency=currencies,
        units=st.integers(0, 4),
        price=st.integers(0, 20),
        key=st.none() | reservations,
        crash=crash_points,
    )
    def charge(
        self,
        payer: int,
        owner: int,
        currency: str,
        units: int,
        price: int,
        key: uuid.UUID | None,
        crash: int | None,
    ) -> UsageRecorded:
        usage = self._usage(self.base + payer, owner, currency, 1, units, price, key)
        self._charge([usage], crash)
        return usage

    def _usage(
        self, payer: int, owner: int, currency: str, model: int, units: int, price: int, key: uuid.UUID | None
    ) -> UsageRecorded:
        return usage_of(
            self.world.clock,
            units * price,
            payer=payer,
            owner=self.base + owner,
            currency=currency,
            model_id=model,
            reservation_id=key,
            units=units,
            unit_price_nano=price,
            billing_unit="custom",
        )

    @rule(
        payer=members,
        calls=st.lists(st.tuples(members, currencies, st.integers(1, 90)), min_size=2, max_size=4),
        crash=crash_points,
    )
    def charge_batch(self, payer: int, calls: list[tuple[int, str, int]], crash: int | None) -> None:
        """Charges calls with unexpected prices, of several owners at once."""
        batch = [self._usage(self.base + payer, owner, money, 1, 1, price, None) for owner, money, price in calls]
        self._charge(batch, crash)

    @rule(batch=st.lists(usages, min_size=1, max_size=4), crash=crash_points)
    def redeliver(self, batch: list[UsageRecorded], crash: int | None) -> None:
        self._charge(batch, crash)

    def _charge(self, batch: list[UsageRecorded], crash: int | None) -> None:
        self.once(lambda: self.harness.charge(*batch), crash)
        self.model.charge(batch)

    @rule(
        target=reservations,
        key=consumes(reservations),
        unsent=st.integers(-2, 6),
        unsent_free=st.integers(-1, 3),
        in_progress=st.tuples(st.integers(0, 6), st.integers(0, 3)),
        crash=crash_points,
    )
    def release(
        self, key: uuid.UUID, unsent: int, unsent_free: int, in_progress: tuple[int, int], crash: int | None
    ) -> Any:
        """Releases; with calls in progress it may be released again.

        Usage may have arrived that the gate did not expect.
        """
        held = self.model.held[key]
        told = max(0, held.spent + unsent), max(0, held.spent_free + unsent_free)
        nano, free = told
        self.once(lambda: self.harness.release(key, nano=nano, free=free, in_progress=in_progress), crash)
        self.model.release(self.now, key, told, in_progress)
        return key if any(in_progress) else multiple()

    @rule(seconds=st.sampled_from([1, 29, 61]), crash=st.none() | st.integers(0, 3))
    def expire(self, seconds: int, crash: int | None) -> None:
        self.world.clock.advance(timedelta(seconds=seconds))
        if crash is not None:
            self.world.dies(self.harness.expire(), crash)
        self.world.run(self.harness.expire())
        self.model.expire(self.now)

    @rule(who=members, enabled=st.booleans(), crash=crash_points)
    def change_feature(self, who: int, enabled: bool, crash: int | None) -> None:
        account = self.base + who
        version = next(self.versions)
        self.once(lambda: self.harness.set_no_blocking(account, enabled=enabled, version=version), crash)
        (self.model.unblockable.add if enabled else self.model.unblockable.discard)(account)

    @invariant()
    def agrees_with_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        for account in range(self.base, self.base + 3):
            standing = self.world.run(self.harness.standing(account))
            assert standing.blocked == self.model.blocked(account)
            for currency in Currency:
                balances, place = standing.of(currency), (account, currency.value)
                expected = (self.model.main[place], self.model.income[place], self.model.held_money(*place))
                assert (balances.main_nano, balances.income_nano, balances.held_nano) == expected
                assert balances.owed_nano == self.model.owed(*place) == max(0, -balances.main_nano)

    def teardown(self) -> None:
        found = self.world.run(self.harness.verify())
        assert found.sound, found
        assert all(debts.payable_nano == 0 for debts in found.debts.values()), found
        mine = f"/ 10 * 10 = {self.base}"
        free = "SELECT coalesce(sum(used), 0), coalesce(sum(held), 0) FROM free_units WHERE payer_account_id"
        row = self.world.run(self.harness.query(f"{free} {mine}"))[0]
        assert tuple(row) == (sum(self.model.free_used.values()), sum(h.free for h in self.model.held.values()))
        debts = "SELECT payer_account_id, owner_account_id, currency, open_nano, open_fee_nano FROM debt"
        rows = self.world.run(
            self.harness.query(f"{debts} WHERE open_nano > 0 AND payer_account_id {mine} ORDER BY id")
        )
        assert [tuple(row) for row in rows] == [
            (d.payer, d.owner, d.currency, d.money, d.fee) for d in self.model.debts
        ]
        fees = (
            "SELECT a.currency, sum(p.amount_nano)::bigint FROM posting p JOIN ledger_account a "
            "ON a.id = p.ledger_account_id WHERE a.kind = 'PLATFORM_FEE' GROUP BY 1"
        )
        collected = {row[0]: row[1] for row in self.world.run(self.harness.query(fees))}
        before, self.world.fees = self.world.fees, collected
        assert {k: v - before.get(k, 0) for k, v in collected.items() if v != before.get(k, 0)} == {
            k: v for k, v in self.model.fees.items() if v
        }


@pytest.fixture
def world(request: pytest.FixtureRequest, machine_url: str) -> Generator[World]:
    opened = World(machine_url)
    yield opened
    opened.close()


@pytest.fixture
async def machine_url(database_factory: DatabaseFactory) -> str:
    return (await database_factory("mlpbilling", MIGRATIONS)).service_url


@pytest.mark.fuzz
@pytest.mark.timeout(3600 if FUZZ else 600)
def test_the_ledger_agrees_with_a_plain_model(world: World) -> None:
    class Machine(LedgerMachine):
        pass

    Machine.world = world
    bounded = settings(
        max_examples=300 if FUZZ else 15,
        stateful_step_count=60 if FUZZ else 25,
        derandomize=not FUZZ,
        deadline=None,
        database=None,
        print_blob=True,
        phases=[Phase.generate],  # shrinking against a database takes many minutes; the steps of a failure are short
        suppress_health_check=[HealthCheck.too_slow],
    )
    run_state_machine_as_test(Machine, settings=bounded)
    assert world.crashes > 10, "crash points beyond the last statement crash nothing"


class TestEveryStatement:
    """Each operation crashes at its first statement, then at its second, up to its commit, and changes nothing."""

    def test_a_batch_that_leaves_debts_survives_a_crash_at_any_statement(self, world: World) -> None:
        world.run(world.harness.refill(1, 100))
        held = world.run(world.harness.reserve(1, minimum_nano=20, wanted_nano=20))
        batch = [usage_of(world.clock, 60, owner=owner, reservation_id=held.reservation_id) for owner in (2, 3, 4)]
        died = self._until_it_lives(world, lambda: world.harness.charge(*batch))
        assert died > 10
        assert world.run(world.harness.money(1)) == (-80, 0, 0)

    def test_a_refill_that_pays_debts_survives_a_crash_at_any_statement(self, world: World) -> None:
        world.run(world.harness.charge(*(usage_of(world.clock, 40, owner=owner) for owner in (2, 3, 4))))
        died = self._until_it_lives(world, lambda: world.harness.refill(1, 100, key="k"))
        assert died > 10
        assert [world.run(world.harness.money(owner))[1] for owner in (2, 3, 4)] == [35, 35, 18]

    def test_a_reservation_and_its_release_survive_a_crash_at_any_statement(self, world: World) -> None:
        world.run(world.harness.refill(1, 100))
        key = uuid.uuid4()
        wishes = {"reservation_id": key, "minimum_nano": 5, "wanted_nano": 5, "free_unit_quota": 9}
        assert self._until_it_lives(world, lambda: world.harness.reserve(1, wanted_free_units=3, **wishes)) > 5
        assert self._until_it_lives(world, lambda: world.harness.release(key, nano=2)) > 5

    @staticmethod
    def _until_it_lives(world: World, work: Callable[[], Awaitable[object]]) -> int:
        """Repeats the work until it does not crash. Returns the number of crashes."""
        whole = (
            "SELECT (SELECT json_agg(b ORDER BY account_id) FROM balance b)::text, "
            "(SELECT json_agg(d ORDER BY id) FROM debt d)::text, (SELECT count(*) FROM posting), "
            "(SELECT count(*) FROM usage), (SELECT count(*) FROM refill), (SELECT count(*) FROM outbox), "
            "(SELECT json_agg(r ORDER BY reservation_id) FROM reservation r)::text"
        )
        before = world.run(world.harness.query(whole))
        for statement in itertools.count():
            if not world.dies(work(), statement):
                after = world.run(world.harness.query(whole))
                assert after != before
                world.run(work())
                assert world.run(world.harness.query(whole)) == after, "repeated, it has no effect"
                assert world.run(world.harness.verify()).sound
                return statement
            assert world.run(world.harness.query(whole)) == before
        raise AssertionError
