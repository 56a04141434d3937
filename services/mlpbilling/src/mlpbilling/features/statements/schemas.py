"""Amounts are decimal numbers as text, exact to nine digits: their sums are exact, and JSON numbers would be floats."""

import uuid
from datetime import date, datetime
from typing import Literal

from mlpbilling.features.statements.movements import Direction, Split
from mlplace_kit.pagination import Pagination
from mlplace_kit.wire import Output

ItemKind = Literal["MODEL", "RESOURCE_GROUP", "QUOTA", "SERVER", "ACCOUNT", "KEY", "HOSTING", "REST"]


class StatementItem(Output):
    """What was paid for, or who paid.

    `id` is the id of the model, of the paying account or of the API key; null for rents, and for calls without a key.
    `account_id` is the account of the model or of what was rented. REST sums up all items but the largest hundred.
    """

    kind: ItemKind
    id: int | None
    account_id: int | None
    account_name: str | None
    name: str
    calls_count: int
    amount: str


class StatementDay(Output):
    """`item` is the index in `items`. Days without calls and rents are missing."""

    day: date
    item: int
    calls_count: int
    amount: str


class BalanceChange(Output):
    """From the balance before the first day to the one after the last: `closing` = `opening` + all other figures.

    Of SPENDING it is the main balance, `calls` and `hosting` are negative. Of INCOME it is the income balance, and
    `from_income`, which was moved to the main balance, is negative.
    """

    opening: str
    calls: str
    hosting: str
    refills: str
    bonuses: str
    from_income: str
    closing: str


class Statement(Output):
    """The sum of `items`, the sum of `days` and `total` are equal, and equal to calls and hosting of the balance."""

    direction: Direction
    split: Split
    first: date
    last: date
    time_zone: Literal["UTC"]
    currency: str
    total: str
    items: list[StatementItem]
    days: list[StatementDay]
    balance_change: BalanceChange


class CallRow(Output):
    """`request_id` is null in statements of income: it belongs to the caller."""

    usage_id: uuid.UUID
    date: datetime
    request_id: str | None
    operation: str
    model_account_id: int
    model_id: int
    model_name: str
    payer_account_id: int
    payer_name: str
    key_id: int | None
    units: int
    amount: str


class CallPage(Output):
    """`total` is the sum of all pages."""

    total: str
    records: list[CallRow]
    paging: Pagination


class RentRow(Output):
    charge_id: uuid.UUID
    period_start: datetime
    period_end: datetime
    periods: int
    source_type: Literal["RESOURCE_GROUP", "QUOTA", "SERVER"]
    source_name: str
    owner_id: int
    owner_name: str
    payer_account_id: int
    payer_name: str
    amount: str


class RentPage(Output):
    """`total` is the sum of all pages."""

    total: str
    records: list[RentRow]
    paging: Pagination


class BalanceForecast(Output):
    """How long the main balance lasts if spending goes on as since `since`, which is at most seven days ago.

    `hosting` is the part of paid rents that belongs to this time, whenever they were paid. `enough_for_days` is null
    without spending, in the first day of it, and without money.
    """

    since: datetime
    until: datetime
    calls: str
    hosting: str
    per_day: str
    enough_for_days: int | None
