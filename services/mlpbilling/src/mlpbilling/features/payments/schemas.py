from datetime import datetime
from decimal import ROUND_FLOOR, Decimal
from typing import Annotated, Literal

from pydantic import Field, WithJsonSchema

from mlplace_kit.money import to_nano
from mlplace_kit.pagination import Pagination
from mlplace_kit.wire import Input, Output

_Amount = Annotated[
    Decimal, Field(ge=1, le=100_000_000, max_digits=40), WithJsonSchema({"type": "number", "minimum": 1})
]


class RefillCardRequest(Input):
    """`amount_currency` is rounded down to two decimals. The payer is redirected to `redirect_url` afterwards."""

    account_id: int
    amount_currency: _Amount
    redirect_url: Annotated[str, Field(min_length=1, max_length=2048)]

    def floored_nano(self) -> int:
        return to_nano(self.amount_currency.quantize(Decimal("0.01"), rounding=ROUND_FLOOR))


class RefillCardResponse(Output):
    payment_url: str


class PaymentNoticeData(Output):
    """A provider's report that did not match its payment. Nothing was credited for it."""

    id: int
    received_at: datetime
    provider: str
    source: Literal["CALLBACK", "LOOK_UP"]
    attempt_id: str
    account_id: int
    payment_id: str
    outcome: str
    currency: str
    amount_currency: float
    ordered_currency: str
    ordered_amount_currency: float


class PaymentNoticePage(Output):
    paging: Pagination
    records: list[PaymentNoticeData]
