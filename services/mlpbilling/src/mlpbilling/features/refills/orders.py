"""A refill before it is stored. No I/O."""

import uuid
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from mlpbilling.features.ledger.entries import (
    LedgerAccountKey,
    LedgerAccountKind,
    Transaction,
    TransactionKind,
    income_of,
    main_of,
    moves,
)
from mlplace_kit.money import Currency


class RefillSource(StrEnum):
    """REQUEST_FROM_AA: ordered by an administrator. CARD: paid by card. The first two names are the specification's."""

    REQUEST_FROM_AA = "REQUEST_FROM_AA"
    REFILL_FROM_INCOME = "REFILL_FROM_INCOME"
    WELCOME_BONUS = "WELCOME_BONUS"
    CARD = "CARD"


_KINDS = {
    RefillSource.REQUEST_FROM_AA: TransactionKind.REFILL,
    RefillSource.REFILL_FROM_INCOME: TransactionKind.REFILL_FROM_INCOME,
    RefillSource.WELCOME_BONUS: TransactionKind.WELCOME_BONUS,
    RefillSource.CARD: TransactionKind.REFILL,
}

_PAYMENT = "payment:"


def payment_key(attempt_id: uuid.UUID) -> str:
    """Returns the idempotency key of the refill for a payment. Callers cannot use such keys: see `is_reserved`."""
    return f"{_PAYMENT}{attempt_id}"


def is_reserved(idempotency_key: str) -> bool:
    return idempotency_key.startswith(_PAYMENT)


@dataclass(frozen=True, slots=True)
class RefillOrder:
    """`idempotency_key` is unique within the account. The default is random and does not detect repetitions."""

    account_id: int
    source: RefillSource
    currency: Currency
    amount_nano: int
    user_id: int | None = None
    comment: str = ""
    idempotency_key: str = field(default_factory=lambda: uuid.uuid4().hex)

    def transaction(self, now: datetime) -> Transaction:
        return Transaction(
            kind=_KINDS[self.source],
            idempotency_key=f"refill:{self.account_id}:{self.idempotency_key}",
            occurred_at=now,
            entries=moves(self._source(), (main_of(self.account_id, self.currency), self.amount_nano)),
            details={"userId": self.user_id, "comment": self.comment},
        )

    def _source(self) -> LedgerAccountKey:
        match self.source:
            case RefillSource.REQUEST_FROM_AA | RefillSource.CARD:
                return LedgerAccountKey(LedgerAccountKind.EXTERNAL, self.currency)
            case RefillSource.REFILL_FROM_INCOME:
                return income_of(self.account_id, self.currency)
            case RefillSource.WELCOME_BONUS:
                return LedgerAccountKey(LedgerAccountKind.BONUS, self.currency)
