"""Posts a sale: the payer owes the full price; owner and platform get at once what the payer's money covers."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from mlpbilling.features.ledger.changes import LedgerChanges
from mlpbilling.features.ledger.debts import Debt, fee_part
from mlpbilling.features.ledger.entries import (
    Transaction,
    TransactionKind,
    fee_of,
    income_of,
    main_of,
    moves,
    uncollected,
)
from mlplace_kit.money import Currency


@dataclass(frozen=True, slots=True)
class Sale:
    """`source_id` is the id of the usage or rent charge. `fee_nano` is the platform's part of the price."""

    kind: TransactionKind
    idempotency_key: str
    occurred_at: datetime
    source_id: uuid.UUID
    payer_account_id: int
    owner_account_id: int
    currency: Currency
    price_nano: int
    fee_nano: int
    details: Mapping[str, object] = field(default_factory=dict[str, object])


def post_sale(changes: LedgerChanges, sale: Sale) -> uuid.UUID:
    """Posts the sale and returns the transaction's id. Both accounts must be locked. Raises BalanceTooLarge."""
    covered = changes.balances(sale.payer_account_id, sale.currency).covers(sale.price_nano)
    fee = fee_part(sale.fee_nano, covered, sale.price_nano)
    missing = sale.price_nano - covered
    transaction = Transaction(
        kind=sale.kind,
        idempotency_key=sale.idempotency_key,
        occurred_at=sale.occurred_at,
        entries=moves(
            main_of(sale.payer_account_id, sale.currency),
            (income_of(sale.owner_account_id, sale.currency), covered - fee),
            (fee_of(sale.currency), fee),
            (uncollected(sale.currency), missing),
        ),
        details=sale.details,
    )
    changes.post(transaction)
    if missing:
        changes.owe(
            Debt(
                usage_id=sale.source_id,
                transaction_id=transaction.id,
                payer_account_id=sale.payer_account_id,
                owner_account_id=sale.owner_account_id,
                currency=sale.currency,
                open_nano=missing,
                open_fee_nano=sale.fee_nano - fee,
            )
        )
    return transaction.id
