from collections.abc import Collection, Iterable, Sequence
from typing import Final, cast

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.ledger.changes import AccountBalances, CurrencyBalances
from mlpbilling.features.ledger.debts import Debt, Payment
from mlpbilling.features.ledger.entries import LedgerAccountKey, LedgerAccountKind, Transaction
from mlpbilling.features.ledger.tables import (
    Balance,
    BillingAccount,
    DebtPaymentRow,
    DebtRow,
    LedgerAccount,
    LedgerTransaction,
    Posting,
)
from mlplace_kit.money import Currency
from mlplace_runtime.db.polling import ONE

_accounts = cast("sa.Table", BillingAccount.__table__)
_balances = cast("sa.Table", Balance.__table__)
_ledger_accounts = cast("sa.Table", LedgerAccount.__table__)
_transactions = cast("sa.Table", LedgerTransaction.__table__)
_postings = cast("sa.Table", Posting.__table__)
_debts = cast("sa.Table", DebtRow.__table__)
_payments = cast("sa.Table", DebtPaymentRow.__table__)
_OPEN = ("open_nano", "open_fee_nano")
_FIGURES = ("main_nano", "income_nano", "held_nano", "owed_nano", "advanced_nano", "version")
_payable = sa.and_(_balances.c.owed_nano > sa.func.greatest(0, -_balances.c.main_nano), _balances.c.owed_nano > 0)
PAYABLE: Final = sa.select(ONE).where(_payable).limit(ONE)


class LedgerRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def lock(self, account_ids: Collection[int]) -> dict[int, AccountBalances]:
        """Returns the accounts with their rows locked in the order of ids; missing rows are created."""
        found = await self._lock_existing(account_ids)
        missing = sorted(set(account_ids) - set(found))
        if missing:
            fresh = {"no_blocking": False, "limits_version": 0, "blocked": False, "below_zero_since": None}
            rows = [{"account_id": account_id, **fresh} for account_id in missing]
            await self._session.execute(postgresql.insert(_accounts).values(rows).on_conflict_do_nothing())
            found = await self._lock_existing(account_ids)
        await self._read_balances(found)
        return found

    async def _lock_existing(self, account_ids: Collection[int]) -> dict[int, AccountBalances]:
        statement = (
            sa.select(_accounts)
            .where(_accounts.c.account_id.in_(account_ids))
            .order_by(_accounts.c.account_id)
            .with_for_update()
        )
        rows = (await self._session.execute(statement)).all()
        return {
            row.account_id: AccountBalances(
                account_id=row.account_id,
                no_blocking=row.no_blocking,
                limits_version=row.limits_version,
                blocked=row.blocked,
                below_zero_since=row.below_zero_since,
            )
            for row in rows
        }

    async def _read_balances(self, accounts: dict[int, AccountBalances]) -> None:
        statement = sa.select(_balances).where(_balances.c.account_id.in_(accounts))
        for row in await self._session.execute(statement):
            accounts[row.account_id].currencies[Currency(row.currency)] = _currency_balances(row)

    async def read(self, account_id: int) -> AccountBalances:
        """Reads an account without a lock, for display. An account that never had money is empty."""
        statement = sa.select(_accounts).where(_accounts.c.account_id == account_id)
        row = (await self._session.execute(statement)).one_or_none()
        balances = AccountBalances(account_id)
        if row:
            balances.no_blocking, balances.blocked, balances.below_zero_since = (
                row.no_blocking,
                row.blocked,
                row.below_zero_since,
            )
        await self._read_balances({account_id: balances})
        return balances

    async def ledger_account_ids(self, keys: Collection[LedgerAccountKey]) -> dict[LedgerAccountKey, int]:
        """Returns the ids of the ledger accounts; missing ones are created."""
        found = await self._find_ids(keys)
        missing = sorted(set(keys) - set(found), key=repr)
        if missing:
            rows = [{"account_id": key.account_id, "kind": key.kind, "currency": key.currency} for key in missing]
            await self._session.execute(postgresql.insert(_ledger_accounts).values(rows).on_conflict_do_nothing())
            found = await self._find_ids(keys)
        return found

    async def _find_ids(self, keys: Collection[LedgerAccountKey]) -> dict[LedgerAccountKey, int]:
        owner = _ledger_accounts.c.account_id
        owners = {key.account_id for key in keys if key.account_id is not None}
        rows = (
            await self._session.execute(sa.select(_ledger_accounts).where(owner.in_(owners) | owner.is_(None)))
        ).all()
        known = {
            LedgerAccountKey(LedgerAccountKind(row.kind), Currency(row.currency), row.account_id): row.id
            for row in rows
        }
        return {key: known[key] for key in keys if key in known}

    async def append(self, transactions: Sequence[Transaction]) -> None:
        ids = await self.ledger_account_ids(
            {entry.ledger_account for transaction in transactions for entry in transaction.entries}
        )
        await self._session.execute(
            sa.insert(_transactions),
            [
                {
                    "id": transaction.id,
                    "kind": transaction.kind,
                    "idempotency_key": transaction.idempotency_key,
                    "occurred_at": transaction.occurred_at,
                    "details": dict(transaction.details),
                }
                for transaction in transactions
            ],
        )
        await self._session.execute(
            sa.insert(_postings),
            [
                {
                    "transaction_id": transaction.id,
                    "ledger_account_id": ids[entry.ledger_account],
                    "currency": entry.ledger_account.currency,
                    "amount_nano": entry.amount_nano,
                }
                for transaction in transactions
                for entry in transaction.entries
            ],
        )

    async def store_balances(self, changed: Iterable[tuple[int, Currency, CurrencyBalances]]) -> None:
        rows = [
            {
                "account_id": account_id,
                "currency": currency,
                **{name: getattr(balances, name) for name in _FIGURES},
            }
            for account_id, currency, balances in changed
        ]
        if not rows:
            return
        statement = postgresql.insert(_balances)
        values = {name: statement.excluded[name] for name in _FIGURES}
        upsert = statement.on_conflict_do_update(index_elements=["account_id", "currency"], set_=values)
        await self._session.execute(upsert, rows)

    async def creditors(self, payer_account_id: int, currency: Currency, *, limit: int) -> set[int]:
        """Returns the owners of the payer's oldest debts at this moment, without a lock."""
        oldest = _oldest_open(payer_account_id, currency, limit).subquery()
        return set((await self._session.execute(sa.select(oldest.c.owner_account_id).distinct())).scalars())

    async def open_debts(self, payer_account_id: int, currency: Currency, *, limit: int) -> list[Debt]:
        """Returns the oldest debts first. The payer must be locked, so that nobody else adds or pays debts."""
        rows = await self._session.execute(_oldest_open(payer_account_id, currency, limit))
        return [
            Debt(
                usage_id=row.usage_id,
                transaction_id=row.transaction_id,
                payer_account_id=row.payer_account_id,
                owner_account_id=row.owner_account_id,
                currency=Currency(row.currency),
                open_nano=row.open_nano,
                open_fee_nano=row.open_fee_nano,
                id=row.id,
            )
            for row in rows
        ]

    async def add_debts(self, debts: Sequence[Debt]) -> None:
        names = ("usage_id", "transaction_id", "payer_account_id", "owner_account_id", "currency", *_OPEN)
        rows = [
            {
                **{name: getattr(debt, name) for name in names},
                "owed_nano": debt.open_nano,
                "owed_fee_nano": debt.open_fee_nano,
            }
            for debt in debts
        ]
        if rows:
            await self._session.execute(sa.insert(_debts), rows)

    async def add_payments(self, payments: Sequence[Payment]) -> None:
        """Stores payments of stored debts, and what remains of the debts."""
        if not payments:
            return
        await self._session.execute(
            sa.insert(_payments),
            [
                {
                    "debt_id": payment.debt.id,
                    "transaction_id": payment.transaction_id,
                    "paid_nano": payment.paid_nano,
                    "fee_nano": payment.fee_nano,
                }
                for payment in payments
            ],
        )
        await self._session.execute(
            sa.update(_debts)
            .where(_debts.c.id == sa.bindparam("debt_id"))
            .values({name: sa.bindparam(f"left_{name}") for name in _OPEN}),
            [
                {"debt_id": payment.debt.id, **{f"left_{name}": getattr(payment.debt, name) for name in _OPEN}}
                for payment in payments
            ],
        )

    async def payable(self, *, after: int, limit: int) -> list[tuple[int, Currency]]:
        """Returns payers with account ids above `after` whose money can pay some of their debts, by account."""
        statement = (
            sa.select(_balances.c.account_id, _balances.c.currency)
            .where(_payable, _balances.c.account_id > after)
            .order_by(_balances.c.account_id)
            .limit(limit)
        )
        return [(row.account_id, Currency(row.currency)) for row in await self._session.execute(statement)]

    async def store_account(self, balances: AccountBalances) -> None:
        await self._session.execute(
            sa.update(_accounts)
            .where(_accounts.c.account_id == balances.account_id)
            .values(
                no_blocking=balances.no_blocking,
                limits_version=balances.limits_version,
                blocked=balances.blocked,
                below_zero_since=balances.below_zero_since,
            )
        )


def _oldest_open(payer_account_id: int, currency: Currency, limit: int) -> "sa.Select[tuple[object, ...]]":
    return (
        sa.select(_debts)
        .where(_debts.c.payer_account_id == payer_account_id, _debts.c.currency == currency, _debts.c.open_nano > 0)
        .order_by(_debts.c.id)
        .limit(limit)
    )


def _currency_balances(row: "sa.Row[tuple[object, ...]]") -> CurrencyBalances:
    return CurrencyBalances(**{name: getattr(row, name) for name in _FIGURES})
