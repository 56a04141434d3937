from datetime import datetime
from typing import Literal

from mlplace_kit.wire import Output


class BillingDetailsRow(Output):
    """`units` and `amountCurrency` are what is charged.

    `reportedUnits` is what the services reported; it may be more.
    """

    date: datetime
    source_type: Literal["MODEL"]
    model_account_id: int
    model_id: int
    name: str
    calls_count: int
    units: int
    reported_units: int
    amount_currency: float


class BillingDetails(Output):
    """`total` may exceed the items' sum by fractions: each figure is rounded down separately."""

    total: float
    items: list[BillingDetailsRow]


class IncomeByModelRow(Output):
    model_id: int
    model_name: str
    calls_count: int
    amount_currency: float


class IncomeByPayerRow(Output):
    account_id: int
    account_name: str
    calls_count: int
    amount_currency: float


class CallOrigins(Output):
    """When the account last called a service on a page of the platform, and when it last called one with an API key."""

    last_by_session: datetime | None
    last_by_key: datetime | None
