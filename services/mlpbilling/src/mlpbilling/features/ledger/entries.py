"""Ledger transactions as values: entries that move money between ledger accounts. No I/O."""

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from mlplace_kit.ids import new_event_id
from mlplace_kit.money import Currency


class LedgerAccountKind(StrEnum):
    """MAIN and INCOME belong to an account; the others belong to the platform.

    UNCOLLECTED holds what payers owe: charged but not yet available, so nobody can spend it.
    """

    MAIN = "MAIN"
    INCOME = "INCOME"
    PLATFORM_FEE = "PLATFORM_FEE"
    EXTERNAL = "EXTERNAL"
    BONUS = "BONUS"
    UNCOLLECTED = "UNCOLLECTED"


class TransactionKind(StrEnum):
    CHARGE = "CHARGE"
    RENT = "RENT"
    DEBT_PAYMENT = "DEBT_PAYMENT"
    REFILL = "REFILL"
    WELCOME_BONUS = "WELCOME_BONUS"
    REFILL_FROM_INCOME = "REFILL_FROM_INCOME"


@dataclass(frozen=True, slots=True)
class LedgerAccountKey:
    kind: LedgerAccountKind
    currency: Currency
    account_id: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    ledger_account: LedgerAccountKey
    amount_nano: int


@dataclass(frozen=True, slots=True)
class Transaction:
    """A balanced transaction.

    Raises ValueError if entries do not sum to zero per currency, repeat a ledger_account or are zero.
    """

    kind: TransactionKind
    idempotency_key: str
    occurred_at: datetime
    entries: tuple[Entry, ...]
    details: Mapping[str, object] = field(default_factory=dict[str, object])
    id: uuid.UUID = field(default_factory=new_event_id)

    def __post_init__(self) -> None:
        sums: Counter[Currency] = Counter()
        for entry in self.entries:
            sums[entry.ledger_account.currency] += entry.amount_nano
        if any(sums.values()):
            raise ValueError(f"the entries of {self.idempotency_key} do not sum to zero")
        if len({entry.ledger_account for entry in self.entries}) != len(self.entries):
            raise ValueError(f"the entries of {self.idempotency_key} name a ledger_account twice")
        if not self.entries or not all(entry.amount_nano for entry in self.entries):
            raise ValueError(f"an entry of {self.idempotency_key} moves nothing")


def main_of(account_id: int, currency: Currency) -> LedgerAccountKey:
    return LedgerAccountKey(LedgerAccountKind.MAIN, currency, account_id)


def uncollected(currency: Currency) -> LedgerAccountKey:
    return LedgerAccountKey(LedgerAccountKind.UNCOLLECTED, currency)


def fee_of(currency: Currency) -> LedgerAccountKey:
    return LedgerAccountKey(LedgerAccountKind.PLATFORM_FEE, currency)


def income_of(account_id: int, currency: Currency) -> LedgerAccountKey:
    return LedgerAccountKey(LedgerAccountKind.INCOME, currency, account_id)


def moves(source: LedgerAccountKey, *targets: tuple[LedgerAccountKey, int]) -> tuple[Entry, ...]:
    """Returns the entries that move money from `source` to the targets; targets with an amount of zero are left out."""
    given = tuple(Entry(ledger_account, amount) for ledger_account, amount in targets if amount)
    return (Entry(source, -sum(entry.amount_nano for entry in given)), *given)
