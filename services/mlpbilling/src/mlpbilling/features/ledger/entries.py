"""Ledger transactions as values: entries that move money between purses (ledger accounts). No I/O."""

import uuid
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from mlplace_kit.ids import new_event_id
from mlplace_kit.money import Currency


class PurseKind(StrEnum):
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
class Purse:
    kind: PurseKind
    currency: Currency
    account_id: int | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    purse: Purse
    amount_nano: int


@dataclass(frozen=True, slots=True)
class Transaction:
    """A balanced transaction.

    Raises ValueError if entries do not sum to zero per currency, repeat a purse or are zero.
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
            sums[entry.purse.currency] += entry.amount_nano
        if any(sums.values()):
            raise ValueError(f"the entries of {self.idempotency_key} do not sum to zero")
        if len({entry.purse for entry in self.entries}) != len(self.entries):
            raise ValueError(f"the entries of {self.idempotency_key} name a purse twice")
        if not self.entries or not all(entry.amount_nano for entry in self.entries):
            raise ValueError(f"an entry of {self.idempotency_key} moves nothing")


def main_of(account_id: int, currency: Currency) -> Purse:
    return Purse(PurseKind.MAIN, currency, account_id)


def uncollected(currency: Currency) -> Purse:
    return Purse(PurseKind.UNCOLLECTED, currency)


def fee_of(currency: Currency) -> Purse:
    return Purse(PurseKind.PLATFORM_FEE, currency)


def income_of(account_id: int, currency: Currency) -> Purse:
    return Purse(PurseKind.INCOME, currency, account_id)


def moves(source: Purse, *targets: tuple[Purse, int]) -> tuple[Entry, ...]:
    """Returns the entries that move money from `source` to the targets; targets with an amount of zero are left out."""
    given = tuple(Entry(purse, amount) for purse, amount in targets if amount)
    return (Entry(source, -sum(entry.amount_nano for entry in given)), *given)
