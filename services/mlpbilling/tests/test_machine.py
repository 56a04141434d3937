"""The ledger core against a plain model, on the real database, with crashes between any two statements."""

import asyncio
import itertools
import uuid
from collections.abc import Awaitable, Generator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
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
from sqlalchemy import event

from mlpbilling.main import MIGRATIONS
from mlpbilling.settings import MlpbillingSettings
from mlpbilling.state import BillingState
from mlplace_contracts.events import UsageRecorded
from mlplace_contracts.internal.billing_refusals import AccountBlocked, InsufficientFunds
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import Currency
from mlplace_runtime.db.database import Database
from mlplace_testing.plugin import DatabaseFactory

from .conftest import Harness, usage_of
from .ledger_model import LedgerModel

_Answer = TypeVar("_Answer")
CREDIT = 50


class CrashError(BaseException):
    """The process is gone: nothing of the open transaction remains."""


class World:
    """One database for all examples, each with accounts of its own. Operations can be told to die at a statement."""

    def __init__(self, url: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.clock = ManualClock(datetime(2026, 1, 5, tzinfo=UTC))
        made = MlpbillingSettings(database_url=url, credit_limit=Decimal(CREDIT).scaleb(-9))
        self.harness = Harness(BillingState(made, Database(url, application_name="test"), self.clock))
        self.accounts = itertools.count(1000, 10)
        self._left: int | None = None
        event.listen(self.harness.database.engine.sync_engine, "before_cursor_execute", self._count)

    def _count(self, *_: Any) -> None:
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                self._left = None
                raise CrashError

    def run(self, work: Awaitable[_Answer]) -> _Answer:
        return self.loop.run_until_complete(work)  # type: ignore[arg-type]  # all of ours are coroutines

    def crashes(self, work: Awaitable[object], at: int | None) -> bool:
        """Whether the work died at its statement number `at`; an operation of fewer statements succeeds."""
        self._left = at
        try:
            self.run(work)
        except CrashError:
            return True
        finally:
            self._left = None
        return False

    def close(self) -> None:
        self.run(self.harness.database.close())
        self.loop.close()


crash_points = st.none() | st.integers(0, 12)
members = st.integers(0, 2)
currencies = st.sampled_from(["RUBLE", "RUBLE", "TOKEN"])
amounts = st.integers(0, 40)


class LedgerMachine(RuleBasedStateMachine):
    world: World

    reservations = Bundle("reservations")
    usages = Bundle("usages")

    @initialize()
    def begin(self) -> None:
        self.base = next(self.world.accounts)
        self.model = LedgerModel(credit=CREDIT)
        self.harness = self.world.harness
        self.versions = itertools.count(1)
        for account in range(self.base, self.base + 3):
            self.world.run(self.harness.refill(account, 150))
            self.model.main[account, "RUBLE"] += 150

    @property
    def now(self) -> float:
        return self.world.clock.now().timestamp()

    @rule(who=members, currency=currencies, amount=st.integers(1, 100), crash=crash_points)
    def refill(self, who: int, currency: str, amount: int, crash: int | None) -> None:
        account = self.base + who
        if not self.world.crashes(self.harness.refill(account, amount, Currency(currency)), crash):
            self.model.main[account, currency] += amount

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
        answers: list[object] = []

        async def attempt() -> None:
            try:
                granted = await self.harness.reserve(payer, **wishes)
                answers.append((granted.granted_nano, granted.granted_free_units))
            except AccountBlocked:
                answers.append("blocked")
            except InsufficientFunds:
                answers.append("poor")

        if self.world.crashes(attempt(), crash):
            return multiple()
        assert answers == [self.model.reserve(self.now, key, payer, currency, model, money, free)]
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

    @rule(batch=st.lists(usages, min_size=1, max_size=4), crash=crash_points)
    def redeliver(self, batch: list[UsageRecorded], crash: int | None) -> None:
        self._charge(batch, crash)

    def _charge(self, batch: list[UsageRecorded], crash: int | None) -> None:
        if not self.world.crashes(self.harness.charge(*batch), crash):
            self.model.charge(batch)

    @rule(key=consumes(reservations), unsent=st.integers(0, 6), unsent_free=st.integers(0, 3), crash=crash_points)
    def release(self, key: uuid.UUID, unsent: int, unsent_free: int, crash: int | None) -> None:
        held = self.model.held[key]
        nano, free = held.spent + unsent, held.spent_free + unsent_free
        if not self.world.crashes(self.harness.release(key, nano=nano, free=free), crash):
            self.model.release(key, nano, free)

    @rule(seconds=st.sampled_from([1, 29, 61]), crash=st.none() | st.integers(0, 3))
    def expire(self, seconds: int, crash: int | None) -> None:
        self.world.clock.advance(timedelta(seconds=seconds))
        if self.world.crashes(self.harness.expire(), crash):
            self.world.run(self.harness.expire())
        self.model.expire(self.now)

    @rule(who=members, enabled=st.booleans(), crash=crash_points)
    def change_feature(self, who: int, enabled: bool, crash: int | None) -> None:
        account = self.base + who
        change = self.harness.set_no_blocking(account, enabled=enabled, version=next(self.versions))
        if not self.world.crashes(change, crash):
            (self.model.unblockable.add if enabled else self.model.unblockable.discard)(account)

    @invariant()
    def agrees_with_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        for account in range(self.base, self.base + 3):
            standing = self.world.run(self.harness.standing(account))
            assert standing.blocked == self.model.blocked(account)
            for currency in Currency:
                book, place = standing.of(currency), (account, currency.value)
                expected = (self.model.main[place], self.model.income[place], self.model.held_money(*place))
                assert (book.main_nano, book.income_nano, book.held_nano) == expected

    def teardown(self) -> None:
        found = self.world.run(self.harness.verify())
        assert found.sound, found
        free = (
            "SELECT coalesce(sum(used), 0), coalesce(sum(held), 0) FROM free_units WHERE payer_account_id / 10 * 10 = "
        )
        row = self.world.run(self.harness.query(f"{free}{self.base}"))[0]
        assert tuple(row) == (sum(self.model.free_used.values()), sum(h.free for h in self.model.held.values()))


@pytest.fixture
def world(request: pytest.FixtureRequest, machine_url: str) -> Generator[World]:
    opened = World(machine_url)
    yield opened
    opened.close()


@pytest.fixture
async def machine_url(database_factory: DatabaseFactory) -> str:
    return (await database_factory("mlpbilling", MIGRATIONS)).service_url


def test_the_ledger_agrees_with_a_plain_model(world: World) -> None:
    class Machine(LedgerMachine):
        pass

    Machine.world = world
    bounded = settings(
        max_examples=15,
        stateful_step_count=25,
        deadline=None,
        database=None,
        print_blob=True,
        phases=[Phase.generate],  # shrinking against a database takes many minutes; the steps of a failure are short
        suppress_health_check=[HealthCheck.too_slow],
    )
    run_state_machine_as_test(Machine, settings=bounded)
