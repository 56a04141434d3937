"""What payers below zero owe to owners, and how money that comes in is shared out among them. No I/O."""

import uuid
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from mlpbilling.features.ledger.entries import (
    Purse,
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
    """Of one payer to one owner for one usage, or one rent charge. Of `open_nano`, `open_fee_nano` is for the platform.

    The fee of a part is rounded down, so that parts never bring in more than the whole. `id` rises with age: the
    smallest is the oldest; None before it is stored.
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
        """Pay as much as there is, and is open. Returns what was paid and the fee in it."""
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
    """Pay debts of one payer in one currency, in their order, with the money. None when nothing can be paid.

    The same money cannot pay twice: the transaction's key names the last debt and what is left of it, and that shrinks
    with each payment.
    """
    shares: Counter[Purse] = Counter()
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
