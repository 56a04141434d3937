import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.ledger.tables import DebtRow
from mlpbilling.features.usage.periods import TimeSpan
from mlpbilling.features.usage.rows import UsageRow
from mlpbilling.features.usage.tables import Usage
from mlplace_contracts.events import UsageRecorded
from mlplace_kit.money import Currency

_usage = cast("sa.Table", Usage.__table__)
_debts = cast("sa.Table", DebtRow.__table__)
_WITH_DEBTS = _usage.outerjoin(_debts, (_debts.c.usage_id == _usage.c.usage_id) & (_debts.c.open_nano > 0))
_BILLABLE = (_usage.c.amount_nano > 0) & (_usage.c.payer_account_id != _usage.c.model_account_id)
_CARRIED = tuple(column.name for column in _usage.columns if column.name in UsageRecorded.model_fields)


class UsageSide(Enum):
    """The side that asks: the payer sees what was charged; the owner sees what was received, after the commission.

    A part that a payer still owes is counted on the day of the call once it is paid.
    """

    SPENDING = "payer_account_id"
    INCOME = "model_account_id"


@dataclass(frozen=True, slots=True)
class Detail:
    bucket: datetime
    model_account_id: int
    model_id: int
    model_name: str
    calls: int
    units: int
    reported_units: int
    amount_nano: int


@dataclass(frozen=True, slots=True)
class Subtotal:
    """`id` is the id of a model or a payer; `name` is a name of the model in the span, empty for a payer."""

    id: int
    name: str
    calls: int
    amount_nano: int


@dataclass(frozen=True, slots=True)
class Origins:
    """The last call in a browser's session and the last one with a key; None if there was none."""

    by_session: datetime | None
    by_key: datetime | None


class UsageRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def origins(self, *, account_id: int, currency: Currency, limit: int) -> Origins:
        """Reads the newest `limit` calls that the account pays for."""
        columns = sa.select(_usage.c.occurred_at, _usage.c.payer_key_id)
        own = columns.where(_usage.c.payer_account_id == account_id, _usage.c.currency == currency.value)
        newest = own.order_by(_usage.c.occurred_at.desc()).limit(limit).subquery()
        last, by_key = sa.func.max(newest.c.occurred_at), newest.c.payer_key_id.is_not(None)
        found = (await self._session.execute(sa.select(last.filter(~by_key), last.filter(by_key)))).one()
        return Origins(by_session=found[0], by_key=found[1])

    async def known(self, usage_ids: Collection[uuid.UUID]) -> set[uuid.UUID]:
        statement = sa.select(_usage.c.usage_id).where(_usage.c.usage_id.in_(usage_ids))
        return set((await self._session.execute(statement)).scalars())

    async def add(self, rows: Sequence[UsageRow]) -> None:
        if rows:
            await self._session.execute(sa.insert(_usage), [_values(row) for row in rows])

    async def details(self, *, account_id: int, side: UsageSide, currency: Currency, span: TimeSpan) -> list[Detail]:
        """Returns sums per part of the span and model, oldest first."""
        bucket = sa.func.date_trunc(span.bucket, _usage.c.occurred_at, "UTC").label("bucket")
        statement = (
            sa.select(
                bucket,
                _usage.c.model_account_id,
                _usage.c.model_id,
                _name_then(),
                sa.func.count(),
                sa.cast(sa.func.sum(_usage.c.units), sa.Numeric),
                sa.cast(sa.func.sum(sa.func.coalesce(_usage.c.reported_units, _usage.c.units)), sa.Numeric),
                sa.cast(sa.func.sum(_amount(side)), sa.Numeric),
            )
            .select_from(_WITH_DEBTS)
            .where(*_within(account_id, side, currency, span))
            .group_by(bucket, _usage.c.model_account_id, _usage.c.model_id)
            .order_by(bucket, _usage.c.model_id)
        )
        rows = await self._session.execute(statement)
        return [Detail(row[0], row[1], row[2], row[3], row[4], int(row[5]), int(row[6]), int(row[7])) for row in rows]

    async def income_by_model(self, *, account_id: int, currency: Currency, span: TimeSpan) -> list[Subtotal]:
        return await self._income_by(_usage.c.model_id, _name_then(), account_id, currency, span)

    async def income_by_payer(self, *, account_id: int, currency: Currency, span: TimeSpan) -> list[Subtotal]:
        return await self._income_by(_usage.c.payer_account_id, sa.literal(""), account_id, currency, span)

    async def spent_by_key(self, *, account_id: int, key_id: int, currency: Currency | None, since: datetime) -> int:
        statement = sa.select(sa.cast(sa.func.coalesce(sa.func.sum(_usage.c.charged_nano), 0), sa.Numeric)).where(
            _usage.c.payer_account_id == account_id,
            _usage.c.currency.in_(list(Currency) if currency is None else [currency]),
            _usage.c.occurred_at >= since,
            _usage.c.payer_key_id == key_id,
            _BILLABLE,
        )
        return int((await self._session.execute(statement)).scalar_one())

    async def _income_by(
        self,
        column: sa.ColumnElement[int],
        name: sa.ColumnElement[str],
        account_id: int,
        currency: Currency,
        span: TimeSpan,
    ) -> list[Subtotal]:
        """Returns subtotals, largest first."""
        amount = sa.cast(sa.func.sum(_amount(UsageSide.INCOME)), sa.Numeric)
        statement = (
            sa.select(column, name, sa.func.count(), amount)
            .select_from(_WITH_DEBTS)
            .where(*_within(account_id, UsageSide.INCOME, currency, span))
            .group_by(column)
            .order_by(amount.desc(), column)
        )
        rows = await self._session.execute(statement)
        return [Subtotal(row[0], row[1], row[2], int(row[3])) for row in rows]


def _values(row: UsageRow) -> dict[str, object]:
    values: dict[str, object] = {name: getattr(row.usage, name) for name in _CARRIED}
    return values | {
        "free_units": row.free_units,
        "charged_nano": row.charged_nano,
        "fee_nano": row.fee_nano,
        "transaction_id": row.transaction_id,
    }


def _name_then() -> sa.ColumnElement[str]:
    return sa.literal_column("max(model_name)", sa.Text)


def _amount(side: UsageSide) -> sa.ColumnElement[int]:
    if side is UsageSide.SPENDING:
        return _usage.c.charged_nano
    still_owed = sa.func.coalesce(_debts.c.open_nano - _debts.c.open_fee_nano, 0)
    return _usage.c.charged_nano - _usage.c.fee_nano - still_owed


def _within(account_id: int, side: UsageSide, currency: Currency, span: TimeSpan) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        _usage.c[side.value] == account_id,
        _usage.c.currency == currency,
        _usage.c.occurred_at >= span.start,
        _usage.c.occurred_at < span.end,
        _BILLABLE,
    )
