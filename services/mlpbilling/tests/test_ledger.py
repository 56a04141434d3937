import asyncio
import uuid
from collections.abc import AsyncGenerator

import pytest
import sqlalchemy as sa
from prometheus_client import REGISTRY
from sqlalchemy.exc import DBAPIError, IntegrityError
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from mlpbilling.features.ledger.entries import Entry, Transaction, TransactionKind, income_of, main_of, moves
from mlpbilling.features.verification.loops import verify_and_report
from mlplace_kit.clock import ManualClock
from mlplace_kit.money import NANO
from mlplace_runtime.db.provision import ServiceDatabase

from .conftest import RUBLE, TOKEN, Harness, usage_of


@pytest.fixture(params=["service_url", "owner_url"])
async def role(request: pytest.FixtureRequest, urls: ServiceDatabase) -> AsyncGenerator[AsyncEngine]:
    """The service's role, then the role that owns the tables."""
    engine = create_async_engine(getattr(urls, request.param))
    yield engine
    await engine.dispose()


class TestAppendOnly:
    @pytest.mark.parametrize("table", ["ledger_account", "ledger_transaction", "posting"])
    @pytest.mark.parametrize("statement", ["UPDATE {} SET currency = 'TOKEN'", "DELETE FROM {}", "TRUNCATE {} CASCADE"])
    async def test_no_role_can_change_the_ledger(
        self, harness: Harness, role: AsyncEngine, table: str, statement: str
    ) -> None:
        await harness.refill(1, NANO)
        statement = (
            statement.replace("currency = 'TOKEN'", "kind = 'x'") if table == "ledger_transaction" else statement
        )
        async with role.connect() as connection:
            with pytest.raises(DBAPIError, match=r"append-only|permission denied"):
                await connection.execute(sa.text(statement.format(table)))
        assert (await harness.verify()).sound

    @pytest.mark.parametrize("table", ["usage", "refill"])
    async def test_the_service_cannot_change_rows_that_explain_the_ledger(self, harness: Harness, table: str) -> None:
        with pytest.raises(DBAPIError, match="permission denied"):
            await harness.query(f"DELETE FROM {table} RETURNING 1")


class TestZeroSum:
    async def test_an_unbalanced_transaction_is_not_committed(self, harness: Harness, role: AsyncEngine) -> None:
        await harness.refill(1, NANO)
        with pytest.raises(IntegrityError, match="does not sum to zero in RUBLE"):
            await self._post(role, [("MAIN", "RUBLE", 5), ("EXTERNAL", "RUBLE", -4)])
        assert (await harness.verify()).sums == {"RUBLE": 0}

    async def test_a_transaction_must_be_balanced_in_each_currency(self, harness: Harness, role: AsyncEngine) -> None:
        await harness.refill(1, NANO, RUBLE)
        await harness.refill(1, NANO, TOKEN)
        with pytest.raises(IntegrityError, match="does not sum to zero"):
            await self._post(role, [("MAIN", "RUBLE", -5), ("MAIN", "TOKEN", 5)])

    async def test_a_posting_must_have_the_currency_of_its_ledger_account(
        self, harness: Harness, role: AsyncEngine
    ) -> None:
        await harness.refill(1, NANO)
        made = uuid.uuid4()
        async with role.connect() as connection:
            await connection.execute(
                sa.text("INSERT INTO ledger_transaction VALUES (:id, 'CHARGE', 'key', now(), now(), '{}')"),
                {"id": made},
            )
            with pytest.raises(IntegrityError, match="fk_posting_ledger_account"):
                await connection.execute(
                    sa.text("INSERT INTO posting SELECT :id, id, 'TOKEN', 1 FROM ledger_account LIMIT 1"), {"id": made}
                )

    @staticmethod
    async def _post(role: AsyncEngine, entries: list[tuple[str, str, int]]) -> None:
        made = uuid.uuid4()
        async with role.begin() as connection:
            await connection.execute(
                sa.text("INSERT INTO ledger_transaction VALUES (:id, 'CHARGE', :key, now(), now(), '{}')"),
                {"id": made, "key": str(made)},
            )
            for kind, currency, amount in entries:
                await connection.execute(
                    sa.text(
                        "INSERT INTO posting SELECT :made, id, currency, :amount FROM ledger_account "
                        "WHERE kind = :kind AND currency = :currency"
                    ),
                    {"made": made, "amount": amount, "kind": kind, "currency": currency},
                )


class TestTransaction:
    @pytest.mark.parametrize(
        "entries",
        [
            (),
            (Entry(main_of(1, RUBLE), 5),),
            (Entry(main_of(1, RUBLE), 5), Entry(main_of(2, TOKEN), -5)),
            (Entry(main_of(1, RUBLE), 5), Entry(main_of(1, RUBLE), -5)),
            (Entry(main_of(1, RUBLE), 0),),
        ],
    )
    def test_invalid_entries_are_refused(self, entries: tuple[Entry, ...], clock: ManualClock) -> None:
        with pytest.raises(ValueError, match="entr"):
            Transaction(TransactionKind.CHARGE, "k", clock.now(), entries)

    def test_moves_take_from_the_source_what_the_targets_get(self) -> None:
        source, target = main_of(1, RUBLE), income_of(2, RUBLE)
        assert moves(source, (target, 7)) == (Entry(source, -7), Entry(target, 7))


class TestVerification:
    async def test_finds_figures_that_do_not_follow_from_the_rows(self, harness: Harness, clock: ManualClock) -> None:
        await harness.refill(1, 10 * NANO)
        await harness.charge(usage_of(clock))
        assert (await harness.verify()).sound
        await harness.query(
            "UPDATE balance SET main_nano = main_nano + 1, held_nano = 7 WHERE account_id = 1 RETURNING 1"
        )
        await harness.query("DELETE FROM balance WHERE account_id = 2 RETURNING 1")
        async with harness.database.transaction() as session:
            found = await verify_and_report(session)
        assert [(d.account_id, d.figure, d.cached_nano, d.actual_nano) for d in found.drifts] == [
            (1, "held", 7, 0),
            (1, "main", 9 * NANO + 1, 9 * NANO),
            (2, "income", 0, NANO),
        ]
        assert REGISTRY.get_sample_value("mlp_billing_drifting_balances") == 3


class TestConcurrency:
    async def test_concurrent_charges_refills_and_holds_lose_nothing(
        self, harness: Harness, clock: ManualClock
    ) -> None:
        """Money goes round in opposite directions at once: unordered locks would deadlock here."""
        await asyncio.gather(*(harness.refill(account, 100 * NANO) for account in (1, 2, 3)))
        work = []
        for number in range(30):
            payer, owner = 1 + number % 3, 1 + (number + 1) % 3
            work += [
                harness.charge(usage_of(clock, payer=payer, owner=owner), usage_of(clock, payer=owner, owner=payer)),
                harness.reserve(payer),
                harness.refill(owner, NANO),
            ]
        await asyncio.gather(*work)
        totals = [await harness.money(account) for account in (1, 2, 3)]
        assert sum(main + income for main, income, _ in totals) == 330 * NANO
        assert sum(held for _, _, held in totals) == 30 * NANO
        assert (await harness.verify()).sound
