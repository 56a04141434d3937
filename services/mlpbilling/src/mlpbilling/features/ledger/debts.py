"""Debts of payers below zero to owners, and the distribution of incoming money among them. No I/O."""

import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from mlpbilling.features.ledger.entries import (
    LedgerAccountKey,
    Transaction,
    TransactionKind,
    fee_of,
    income_of,
    moves,
    uncollected,
)
from mlplace_kit.money import Currency


@dataclass(slots=True)
class Debt:
    """A debt of one payer to one owner for one usage or rent charge. `open_fee_nano` is the platform's part.

    The fee of a partial payment is rounded down, so that the parts never exceed the whole. `id` rises with age: the
    smallest is the oldest. It is None before the debt is stored.
    """

    usage_id: uuid.UUID
    transaction_id: uuid.UUID
    payer_account_id: int
    owner_account_id: int
    currency: Currency
    open_nano: int
    open_fee_nano: int
    id: int | None = None

    def take(self, most_nano: int) -> tuple[int, int]:
        """Pays as much as possible. Returns the paid amount and the fee in it."""
        paid = min(most_nano, self.open_nano)
        fee = fee_part(self.open_fee_nano, paid, self.open_nano)
        self.open_nano -= paid
        self.open_fee_nano -= fee
        return paid, fee


def fee_part(fee_nano: int, part_nano: int, whole_nano: int) -> int:
    return fee_nano * part_nano // whole_nano if whole_nano else 0


@dataclass(frozen=True, slots=True)
class Payment:
    debt: Debt
    transaction_id: uuid.UUID
    paid_nano: int
    fee_nano: int


def pay(debts: Iterable[Debt], money_nano: int, now: datetime) -> tuple[Transaction, list[Payment]] | None:
    """Pays debts of one payer in one currency, in order. Returns None if nothing can be paid.

    The same money cannot pay twice: the transaction's key contains the last debt's id and its remainder, which shrinks
    with each payment.
    """
    shares: Counter[LedgerAccountKey] = Counter()
    taken: list[tuple[Debt, int, int]] = []
    for debt in debts:
        paid, fee = debt.take(money_nano)
        if not paid:
            break
        money_nano -= paid
        taken.append((debt, paid, fee))
        shares[income_of(debt.owner_account_id, debt.currency)] += paid - fee
        shares[fee_of(debt.currency)] += fee
    if not taken:
        return None
    last = taken[-1][0]
    transaction = Transaction(
        kind=TransactionKind.DEBT_PAYMENT,
        idempotency_key=f"debts:{last.id}:{last.open_nano}",
        occurred_at=now,
        entries=moves(uncollected(last.currency), *shares.items()),
        details={"payerAccountId": last.payer_account_id},
    )
    return transaction, [Payment(debt, transaction.id, paid, fee) for debt, paid, fee in taken]
