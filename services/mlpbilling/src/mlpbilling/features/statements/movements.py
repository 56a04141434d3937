"""Calls and rents of an account as rows of one shape: what changes its main balance, or its income."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, cast

import sqlalchemy as sa

from mlpbilling.features.ledger.tables import DebtRow
from mlpbilling.features.rents.tables import RentCharge
from mlpbilling.features.usage.tables import Usage
from mlplace_kit.money import Currency

usage = cast("sa.Table", Usage.__table__)
rent = cast("sa.Table", RentCharge.__table__)
_debt = cast("sa.Table", DebtRow.__table__)


class Direction(StrEnum):
    """The payer sees what was charged; the owner sees what was received, after the commission.

    A part that a payer still owes is counted on the day of the call or of the rent's period once it is paid.
    """

    SPENDING = "SPENDING"
    INCOME = "INCOME"


class Split(StrEnum):
    """PAYER: of income the accounts that paid, of spending the account's own API keys."""

    SERVICE = "SERVICE"
    PAYER = "PAYER"


@dataclass(frozen=True, slots=True)
class Scope:
    """Whose money, in which direction. Without `end` until now."""

    account_id: int
    currency: Currency
    direction: Direction
    start: datetime
    end: datetime | None


USAGE_AMOUNT = {
    Direction.SPENDING: usage.c.charged_nano,
    Direction.INCOME: usage.c.charged_nano - usage.c.fee_nano - sa.func.coalesce(
        _debt.c.open_nano - _debt.c.open_fee_nano, 0
    ),
}  # fmt: skip
RENT_AMOUNT = {
    Direction.SPENDING: rent.c.charged_nano,
    Direction.INCOME: rent.c.charged_nano - rent.c.fee_nano - sa.func.coalesce(
        _debt.c.open_nano - _debt.c.open_fee_nano, 0
    ),
}  # fmt: skip
_USAGE_SIDE = {Direction.SPENDING: usage.c.payer_account_id, Direction.INCOME: usage.c.model_account_id}
_RENT_SIDE = {Direction.SPENDING: rent.c.payer_account_id, Direction.INCOME: rent.c.owner_account_id}


def calls(scope: Scope, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Selects columns of the billable calls in the scope: those that others paid for, or that were paid to others."""
    statement = sa.select(*columns).select_from(usage)
    if scope.direction is Direction.INCOME:
        owed = sa.and_(_debt.c.usage_id == usage.c.usage_id, _debt.c.open_nano > 0)
        statement = statement.select_from(usage.outerjoin(_debt, owed))
    return statement.where(
        _USAGE_SIDE[scope.direction] == scope.account_id,
        usage.c.currency == scope.currency,
        *_between(usage.c.occurred_at, scope),
        usage.c.amount_nano > 0,
        usage.c.payer_account_id != usage.c.model_account_id,
    )


def rents(scope: Scope, *columns: sa.ColumnElement[Any]) -> sa.Select[Any]:
    """Selects columns of the rent charges in the scope. A charge counts when its first period begins."""
    statement = sa.select(*columns).select_from(rent)
    if scope.direction is Direction.INCOME:
        owed = sa.and_(_debt.c.usage_id == rent.c.charge_id, _debt.c.open_nano > 0)
        statement = statement.select_from(rent.outerjoin(_debt, owed))
    return statement.where(
        _RENT_SIDE[scope.direction] == scope.account_id,
        rent.c.currency == scope.currency,
        *_between(rent.c.period_start, scope),
    )


def _between(moment: sa.ColumnElement[datetime], scope: Scope) -> list[sa.ColumnElement[bool]]:
    conditions = [moment >= scope.start]
    return conditions if scope.end is None else [*conditions, moment < scope.end]
