from datetime import datetime
from decimal import ROUND_FLOOR, Decimal
from typing import Annotated

from pydantic import Field, WithJsonSchema

from mlpbilling.features.refills.tables import Refill
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.money import Currency, shown, to_nano
from mlplace_kit.violations import broken
from mlplace_kit.wire import Input, Output

Amount = Annotated[Decimal, Field(gt=0, le=100_000_000, max_digits=40), WithJsonSchema({"type": "number"})]
Key = Annotated[str, Field(min_length=1, max_length=255)]


class RefillIncomeRequest(Input):
    """`amount_currency` is rounded down to two decimals."""

    account_id: int
    amount_currency: Amount

    def floored_nano(self) -> int:
        """Raises ValidationFailed if the rounded amount is zero."""
        nano = to_nano(self.amount_currency.quantize(Decimal("0.01"), rounding=ROUND_FLOOR))
        if not nano:
            raise ValidationFailed({"amountCurrency": broken("at_least", message="at least 0.01", min="0.01")})
        return nano


class ManualRefillRequest(Input):
    amount_currency: Annotated[Amount, Field(decimal_places=9)]
    currency: Currency
    comment: Annotated[str, Field(min_length=1, max_length=1000)]
    idempotency_key: Key


class BootstrapRefillRequest(Input):
    account_id: Annotated[int, Field(gt=0, lt=2**63)]
    amount_nano: Annotated[int, Field(gt=0, le=10**17)]
    currency: Currency
    idempotency_key: Key


class RefillHistoryRow(Output):
    """`user_id` ordered the refill; null for the installation itself. A refill in the history is completed."""

    id: int
    created_at: datetime
    source: str
    currency: str
    amount_currency: float
    status: str
    user_id: int | None


def history_row(row: Refill) -> RefillHistoryRow:
    return RefillHistoryRow(
        id=row.id,
        created_at=row.created_at,
        source=row.source,
        currency=row.currency,
        amount_currency=shown(row.amount_nano),
        status="DONE",
        user_id=row.user_id,
    )
