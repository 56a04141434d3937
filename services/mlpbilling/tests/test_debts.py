"""Tests answers that cost more than the payer had: who gets what at once, and what when money comes in."""

import asyncio
from collections.abc import Awaitable
from itertools import pairwise

import httpx
import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import create_async_engine

from mlpbilling.features.charges.dependencies import charges_of
from mlpbilling.features.ledger.changes import CurrencyBalances
from mlpbilling.features.ledger.debts import Debt, pay
from mlpbilling.features.ledger.loops import pay_debts
from mlpbilling.features.refills.dependencies import refills_of
from mlpbilling.features.refills.orders import RefillOrder, RefillSource
from mlplace_contracts.events import BalanceChanged, UsageRecorded
from mlplace_kit.clock import ManualClock
from mlplace_kit.ids import new_event_id
from mlplace_kit.money import NANO, Currency
from mlplace_runtime.db.provision import ServiceDatabase
from mlplace_testing.events import published
from mlplace_testing.identities import Identities
from mlplace_testing.waiting import eventually

from .conftest import RUBLE, TOKEN, Harness, usage_of

LEDGER_ACCOUNTS = (
    "SELECT a.kind, a.currency, sum(p.amount_nano)::bigint FROM posting p "
    "JOIN ledger_account a ON a.id = p.ledger_account_id WHERE a.account_id IS NULL GROUP BY 1, 2"
)


async def platform(harness: Harness, kind: str, currency: Currency = RUBLE) -> int:
    """Returns the balance of a ledger account of the platform."""
    found = {(row[0], row[1]): row[2] for row in await harness.query(LEDGER_ACCOUNTS)}
    return found.get((kind, currency.value), 0)


async def open_debts(harness: Harness) -> list[tuple[int, int, int]]:
    """Returns payer, owner and amount of each open debt, oldest first."""
    rows = await harness.query(
        "SELECT payer_account_id, owner_account_id, open_nano FROM debt WHERE open_nano > 0 ORDER BY id"
    )
    return [tuple(row) for row in rows]


class TestCharge:
    async def test_the_owner_gets_at_once_what_the_payer_had(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 100)
        await harness.charge(usage_of(clock, 150, billing_unit="direct", units=150, unit_price_nano=1))
        assert await harness.money(1) == (-50, 0, 0)
        assert await harness.blocked(1)
        assert await harness.money(2) == (0, 100, 0)
        assert await open_debts(harness) == [(1, 2, 50)]
        assert await platform(harness, "UNCOLLECTED") == 50
        assert (await harness.verify()).sound

    async def test_the_owner_gets_nothing_from_a_payer_without_money(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        await harness.charge(usage_of(clock, 7))
        await harness.charge(usage_of(clock, 8))
        assert await harness.money(2) == (0, 0, 0)
        assert await open_debts(harness) == [(1, 2, 7), (1, 2, 8)]

    async def test_credit_does_not_pay_the_owner(self, harness: Harness, clock: ManualClock) -> None:
        await harness.set_no_blocking(1)
        await harness.refill(1, 10)
        held = await harness.reserve(minimum_nano=30, wanted_nano=30)
        await harness.charge(usage_of(clock, 30, reservation_id=held.reservation_id))
        assert await harness.money(1) == (-20, 0, 0)
        assert not await harness.blocked(1)
        assert await harness.money(2) == (0, 10, 0)
        assert await open_debts(harness) == [(1, 2, 20)]

    async def test_usages_of_a_batch_use_the_money_in_order(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 25)
        await harness.charge(*(usage_of(clock, 10, owner=owner) for owner in (2, 3, 4, 3)))
        assert [(await harness.money(owner))[1] for owner in (2, 3, 4)] == [10, 10, 5]
        assert await open_debts(harness) == [(1, 4, 5), (1, 3, 10)]
        assert (await harness.verify()).sound

    async def test_the_commission_of_the_unpaid_part_waits(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 100)
        await harness.with_settings(commission_basis_points=1000).charge(usage_of(clock, 150))
        assert (await harness.money(2))[1] == 90
        assert await platform(harness, "PLATFORM_FEE") == 10
        assert await platform(harness, "UNCOLLECTED") == 50

    async def test_one_currency_does_not_pay_for_the_other(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 100, TOKEN)
        await harness.charge(usage_of(clock, 30))
        assert await platform(harness, "UNCOLLECTED", RUBLE) == 30
        await harness.refill(1, 5, TOKEN)
        assert await open_debts(harness) == [(1, 2, 30)]
        assert await harness.money(1, TOKEN) == (105, 0, 0)

    async def test_redelivered_usage_creates_no_second_debt(self, harness: Harness, clock: ManualClock) -> None:
        usage = usage_of(clock, 9)
        await harness.charge(usage, usage)
        await harness.refill(1, 4)
        await harness.charge(usage)
        assert await open_debts(harness) == [(1, 2, 5)]
        assert await harness.money(2) == (0, 4, 0)


class TestRefill:
    async def test_a_refill_pays_the_oldest_debts_first_and_the_last_in_part(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        for owner, amount in ((2, 10), (3, 20), (2, 30)):
            await harness.charge(usage_of(clock, amount, owner=owner))
        await harness.refill(1, 15)
        assert await open_debts(harness) == [(1, 3, 15), (1, 2, 30)]
        assert [(await harness.money(owner))[1] for owner in (2, 3)] == [10, 5]
        assert await harness.blocked(1)
        await harness.refill(1, 46)
        assert await open_debts(harness) == []
        assert [(await harness.money(owner))[1] for owner in (2, 3)] == [40, 20]
        assert await harness.money(1) == (1, 0, 0)
        assert not await harness.blocked(1)
        assert await platform(harness, "UNCOLLECTED") == 0
        assert (await harness.verify()).sound

    @pytest.mark.parametrize("parts", [(1,) * 37, (36, 1), (1, 36), (5, 7, 11, 14), (100,)])
    async def test_partial_payments_add_up_to_the_full_amounts(
        self, harness: Harness, clock: ManualClock, parts: tuple[int, ...]
    ) -> None:
        await harness.refill(1, 14)
        await harness.with_settings(commission_basis_points=1250).charge(usage_of(clock, 51))
        for part in parts:
            await harness.refill(1, part)
        assert await platform(harness, "PLATFORM_FEE") == 6  # 51 x 12.5 % = 6.375
        assert (await harness.money(2))[1] == 45
        assert (await harness.verify()).sound

    async def test_a_debt_keeps_the_commission_of_its_charge(self, harness: Harness, clock: ManualClock) -> None:
        await harness.with_settings(commission_basis_points=1000).charge(usage_of(clock, 50))
        await harness.with_settings(commission_basis_points=5000).refill(1, 50)
        assert (await harness.money(2))[1] == 45

    async def test_a_repeated_refill_pays_nothing_more(self, harness: Harness, clock: ManualClock) -> None:
        await harness.charge(usage_of(clock, 50))
        await asyncio.gather(*(harness.refill(1, 20, key="k") for _ in range(5)))
        assert await open_debts(harness) == [(1, 2, 30)]
        assert await harness.money(2) == (0, 20, 0)

    async def test_a_balance_change_is_published_for_every_owner(self, harness: Harness, clock: ManualClock) -> None:
        await harness.charge(usage_of(clock, 5, owner=2), usage_of(clock, 5, owner=3))
        before = len(await published(harness.database, BalanceChanged))
        await harness.refill(1, 10)
        told = (await published(harness.database, BalanceChanged))[before:]
        assert {(event.account_id, event.main_nano, event.income_nano) for event in told} == {
            (1, 0, 0),
            (2, 0, 5),
            (3, 0, 5),
        }

    @pytest.mark.parametrize("source", [RefillSource.REFILL_FROM_INCOME, RefillSource.WELCOME_BONUS])
    async def test_money_from_every_source_pays_debts(
        self, harness: Harness, clock: ManualClock, source: RefillSource
    ) -> None:
        await harness.earn(1, 40, payer=9)
        await harness.charge(usage_of(clock, 30))
        order = RefillOrder(1, source, RUBLE, 40, user_id=5)
        async with harness.database.transaction() as session:
            await refills_of(session, harness.state).refill(order=order)
        assert (await harness.money(2))[1] == 30
        assert (await harness.money(1))[0] == 10
        assert (await harness.verify()).sound

    async def test_income_pays_debts_only_after_it_is_moved(self, harness: Harness, clock: ManualClock) -> None:
        await harness.charge(usage_of(clock, 30))
        await harness.earn(1, 40, payer=9)
        assert await open_debts(harness) == [(1, 2, 30)]
        assert await harness.money(1) == (-30, 40, 0)

    async def test_concurrent_refills_of_payers_who_owe_each_other_do_not_deadlock(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        """Debts in both directions; charges and refills of all accounts run concurrently."""
        accounts = (1, 2, 3, 4)
        for payer in accounts:
            await harness.charge(*(usage_of(clock, 50, payer=payer, owner=owner) for owner in accounts))
        work: list[Awaitable[None]] = []
        for payer, owner in pairwise((*accounts, *accounts)):
            work += [harness.refill(payer, 10) for _ in range(5)]
            work += [harness.charge(usage_of(clock, 3, payer=payer, owner=owner)) for _ in range(5)]
        await asyncio.gather(*work)
        await pay_debts(harness.state)
        below = {account: max(0, -(await harness.money(account))[0]) for account in accounts}
        owed = {
            account: sum(debt[2] for debt in await open_debts(harness) if debt[0] == account) for account in accounts
        }
        assert owed == below
        found = await harness.verify()
        assert found.sound, found
        assert found.debts["RUBLE"].payable_nano == 0


class TestPayDebts:
    async def test_pays_debts_that_arose_while_a_refill_waited(self, harness: Harness, clock: ManualClock) -> None:
        """The refill looked up the owners before the debt existed, so the owner of the debt is not locked."""
        await harness.refill(1, 1)
        async with harness.database.transaction() as session:
            await charges_of(session, harness.state).charge(usages=[usage_of(clock, 10)])
            refill = asyncio.create_task(harness.refill(1, 20))
            waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted"
            await eventually(lambda: harness.query(waiting), until=lambda rows: rows[0][0] > 0)
        await refill
        assert await open_debts(harness) == [(1, 2, 9)]
        assert await harness.money(1) == (11, 0, 0)
        between = await harness.verify()
        assert (between.sound, between.debts["RUBLE"].payable_nano) == (True, 9)
        await asyncio.gather(*(pay_debts(harness.state) for _ in range(4)))
        assert await open_debts(harness) == []
        assert await harness.money(2) == (0, 10, 0)
        assert (await harness.verify()).sound

    async def test_pays_more_debts_than_fit_into_one_transaction(self, harness: Harness, clock: ManualClock) -> None:
        await harness.set_no_blocking(1)
        await harness.charge(*(usage_of(clock, 2, owner=2 + number % 3) for number in range(1005)))
        await harness.refill(1, 2008)
        assert len(await open_debts(harness)) == 5
        await pay_debts(harness.state)
        assert await open_debts(harness) == [(1, 4, 2)], "there is no money for the last one, or for a half of it"
        await harness.refill(1, 1)
        assert await open_debts(harness) == [(1, 4, 1)]
        assert (await harness.verify()).sound

    async def test_pays_no_debts_of_a_payer_still_below_zero(self, harness: Harness, clock: ManualClock) -> None:
        await harness.charge(usage_of(clock, 10))
        await pay_debts(harness.state)
        assert await open_debts(harness) == [(1, 2, 10)]


class TestAdvanced:
    def test_advances_are_settled_before_debts(self) -> None:
        balances = CurrencyBalances(main_nano=-25, owed_nano=5, advanced_nano=20)
        balances.move(18, 0)
        assert (balances.advanced_nano, balances.payable_nano) == (2, 0)
        balances.move(4, 0)
        assert (balances.advanced_nano, balances.payable_nano) == (0, 2)

    def test_a_charge_does_not_settle_an_advance(self) -> None:
        balances = CurrencyBalances(main_nano=-20, advanced_nano=20)
        balances.move(-5, 0)
        assert (balances.advanced_nano, balances.payable_nano) == (20, 0)


class TestDebt:
    def test_without_money_nothing_is_paid(self, clock: ManualClock) -> None:
        debt = Debt(new_event_id(), new_event_id(), 1, 2, RUBLE, 5, 0, id=1)
        assert pay([debt], 0, clock.now()) is None
        assert pay([], 5, clock.now()) is None
        assert debt.open_nano == 5

    async def test_the_service_may_change_only_the_open_amounts(self, harness: Harness, clock: ManualClock) -> None:
        await harness.charge(usage_of(clock, 10))
        await harness.refill(1, 3)
        for statement in (
            "UPDATE debt SET owed_nano = 1 RETURNING 1",
            "UPDATE debt SET owner_account_id = 1 RETURNING 1",
            "DELETE FROM debt RETURNING 1",
            "UPDATE debt_payment SET paid_nano = 1 RETURNING 1",
            "DELETE FROM debt_payment RETURNING 1",
        ):
            with pytest.raises(DBAPIError, match="permission denied"):
                await harness.query(statement)


async def _some_of_everything(harness: Harness, clock: ManualClock) -> None:
    await harness.refill(1, 100)
    charged: list[UsageRecorded] = [usage_of(clock, 70), usage_of(clock, 70, owner=3), usage_of(clock, 0)]
    await harness.with_settings(commission_basis_points=1000).charge(*charged)
    await harness.refill(1, 15)


class TestVerification:
    @pytest.mark.parametrize(
        ("statement", "found"),
        [
            ("UPDATE usage SET charged_nano = charged_nano + 1 WHERE model_account_id = 2", "usages"),
            ("UPDATE usage SET fee_nano = fee_nano - 1 WHERE model_account_id = 3", "usages"),
            ("UPDATE usage SET payer_account_id = 4 WHERE model_account_id = 3", "usages"),
            ("UPDATE usage SET model_account_id = 4 WHERE model_account_id = 3", "usages"),
            ("UPDATE usage SET transaction_id = NULL WHERE model_account_id = 2", "usages"),
            ("UPDATE usage SET currency = 'TOKEN' WHERE model_account_id = 2", "usages"),
            ("DELETE FROM usage WHERE model_account_id = 2", "usages"),
            ("UPDATE usage SET usage_id = gen_random_uuid() WHERE model_account_id = 2", "usages"),
            ("UPDATE refill SET amount_nano = 99 WHERE amount_nano = 100", "refills"),
            ("DELETE FROM refill WHERE amount_nano = 15", "refills"),
            ("DELETE FROM debt_payment", "debts"),
            ("UPDATE debt_payment SET fee_nano = fee_nano + 1", "debts"),
            ("UPDATE debt SET open_nano = open_nano - 1", "owed unowed debts"),
            ("UPDATE debt SET open_fee_nano = open_fee_nano + 1", "debts"),
            ("UPDATE debt SET payer_account_id = 2", "owed unowed owed"),
            ("UPDATE balance SET owed_nano = owed_nano + 1 WHERE account_id = 1", "owed"),
            ("DELETE FROM debt_payment; DELETE FROM debt; UPDATE balance SET owed_nano = 0", "unowed usages debts"),
        ],
    )
    async def test_finds_rows_that_disagree_with_the_ledger(
        self, harness: Harness, clock: ManualClock, urls: ServiceDatabase, statement: str, found: str
    ) -> None:
        await _some_of_everything(harness, clock)
        assert (await harness.verify()).sound
        engine = create_async_engine(urls.owner_url)
        async with engine.begin() as connection:
            for single in statement.split(";"):
                await connection.execute(sa.text(single))
        await engine.dispose()
        result = await harness.verify()
        assert not result.sound
        seen = [drift.figure for drift in result.drifts]
        assert [*seen, *(kind for kind, count in result.unexplained.items() if count)] == found.split()

    async def test_superadmins_see_the_verification(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        await _some_of_everything(harness, clock)
        answer = await client.get("/api/mlpbilling/admin/ledger/verification", headers=identities.user(superadmin=True))
        found = answer.json()
        assert (found["sound"], found["unexplained"]) == (
            True,
            {"usages": 0, "refills": 0, "payments": 0, "rents": 0, "debts": 0},
        )
        assert found["debts"] == {"RUBLE": {"openNano": 25, "uncollectedNano": 25, "payableNano": 0, "advancedNano": 0}}


class TestReports:
    async def test_income_reports_count_received_money_only(
        self, client: httpx.AsyncClient, identities: Identities, harness: Harness, clock: ManualClock
    ) -> None:
        async def shown(account_id: int, side: str) -> tuple[float, float]:
            headers = identities.user(identities.account(account_id, f"a{account_id}"))
            answer = await client.get(f"/api/mlpbilling/account/{account_id}/details/{side}", headers=headers)
            balance = await client.get(f"/api/mlpbilling/account/{account_id}/balance/short", headers=headers)
            return answer.json()["total"], balance.json()["incomeBalanceCurrency"]

        await harness.refill(1, 4 * NANO)
        await harness.with_settings(commission_basis_points=1000).charge(usage_of(clock, 10 * NANO))
        assert await shown(2, "income") == (3.6, 3.6)
        assert await shown(1, "spending") == (10.0, 0.0)
        await harness.refill(1, 5 * NANO)
        assert await shown(2, "income") == (8.1, 8.1)
