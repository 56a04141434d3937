from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.ledger.tables import Balance
from mlpbilling.features.refills.tables import Refill
from mlpbilling.features.statements.movements import (
    RENT_AMOUNT,
    USAGE_AMOUNT,
    Direction,
    Scope,
    Split,
    calls,
    rent,
    rents,
    usage,
)
from mlplace_kit.money import Currency

LARGEST = 100
"""So many items are listed; smaller ones are summed up."""
REST = "REST"
_refill = cast("sa.Table", Refill.__table__)
_LONGEST_PERIOD = timedelta(days=366)


@dataclass(frozen=True, slots=True)
class DayAmount:
    """`id` is that of a model, an account or a key, 0 without one; `label` is the name of what was rented, or empty."""

    day: date
    kind: str
    id: int
    account_id: int
    label: str
    name: str
    calls: int
    amount_nano: int


@dataclass(frozen=True, slots=True)
class Sums:
    """What was moved within the days of a statement, and after them."""

    within_nano: int
    after_nano: int


class StatementRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def freeze(self) -> None:
        """Makes all following reads see one moment, so that their figures fit together. Comes before every read."""
        await self._session.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))

    async def days(self, scope: Scope, split: Split) -> list[DayAmount]:
        """Returns sums per day and item, oldest first. The largest items have rows of their own, the rest has one."""
        movements = sa.union_all(_calls_of(scope, split), _rents_of(scope, split)).subquery()
        m = movements.c
        key = (m.kind, m.id, m.account_id, m.label)
        daily = (
            sa.select(m.day, *key, sa.func.max(m.name).label("name"), _sum(m.calls, "calls"), _sum(m.amount, "amount"))
            .group_by(m.day, *key)
            .subquery()
        )
        d = daily.c
        whole = sa.func.sum(d.amount).over(partition_by=(d.kind, d.id, d.account_id, d.label)).label("whole")
        summed = sa.select(daily, whole).subquery()
        s = summed.c
        place = sa.func.dense_rank().over(order_by=(s.whole.desc(), s.kind, s.id, s.account_id, s.label))
        ranked = sa.select(summed, place.label("place")).subquery()
        r = ranked.c
        large = r.place <= LARGEST
        columns = (
            r.day,
            sa.case((large, r.kind), else_=REST).label("kind"),
            sa.case((large, r.id), else_=0).label("id"),
            sa.case((large, r.account_id), else_=0).label("account_id"),
            sa.case((large, r.label), else_="").label("label"),
        )
        statement = (
            sa.select(
                *columns,
                sa.func.max(sa.case((large, r.name), else_="")),
                _sum(r.calls, "calls"),
                _sum(r.amount, "amount"),
            )
            .group_by(*columns)
            .order_by(r.day)
        )
        rows = await self._session.execute(statement)
        return [DayAmount(row[0].date(), *row[1:6], int(row[6]), int(row[7])) for row in rows]

    async def sums(self, scope: Scope) -> tuple[Sums, Sums]:
        """Returns the sums of calls and of rents. The scope has an end."""
        open_scope = Scope(scope.account_id, scope.currency, scope.direction, scope.start, None)
        within = usage.c.occurred_at < scope.end, rent.c.period_start < scope.end
        of_calls = calls(open_scope, *_within_and_after(USAGE_AMOUNT[scope.direction], within[0]))
        of_rents = rents(open_scope, *_within_and_after(RENT_AMOUNT[scope.direction], within[1]))
        return await self._one(of_calls), await self._one(of_rents)

    async def refills(self, scope: Scope) -> dict[str, Sums]:
        """Returns the sums of refills by source."""
        statement = (
            sa.select(_refill.c.source, *_within_and_after(_refill.c.amount_nano, _refill.c.created_at < scope.end))
            .where(
                _refill.c.account_id == scope.account_id,
                _refill.c.currency == scope.currency,
                _refill.c.created_at >= scope.start,
            )
            .group_by(_refill.c.source)
        )
        return {row[0]: Sums(int(row[1]), int(row[2])) for row in await self._session.execute(statement)}

    async def balance(self, *, account_id: int, currency: Currency, direction: Direction) -> int:
        column = Balance.main_nano if direction is Direction.SPENDING else Balance.income_nano
        statement = sa.select(column).where(Balance.account_id == account_id, Balance.currency == currency)
        return await self._session.scalar(statement) or 0

    async def first_spending(self, *, account_id: int, currency: Currency) -> datetime | None:
        """Returns when the account first paid for a call or a rent."""
        scope = Scope(account_id, currency, Direction.SPENDING, datetime.min.replace(tzinfo=UTC), None)
        by_calls = calls(scope, usage.c.occurred_at).order_by(usage.c.occurred_at).limit(1)
        by_rents = rents(scope, rent.c.period_start).order_by(rent.c.period_start).limit(1)
        found = [await self._session.scalar(by_calls), await self._session.scalar(by_rents)]
        return min((cast("datetime", moment) for moment in found if moment is not None), default=None)

    async def rent_in(self, scope: Scope) -> int:
        """Returns the part of paid rents that belongs to the scope's time, whenever it was paid.

        A rent of a month that was paid today costs a thirtieth of it a day.
        """
        earlier = Scope(scope.account_id, scope.currency, scope.direction, scope.start - _LONGEST_PERIOD, scope.end)
        start, end = sa.literal(scope.start), sa.literal(scope.end)
        shared = sa.func.least(rent.c.period_end, end) - sa.func.greatest(rent.c.period_start, start)
        length = _seconds(rent.c.period_end - rent.c.period_start)
        part = sa.cast(rent.c.charged_nano, sa.Numeric) * _seconds(shared) / length
        statement = rents(earlier, sa.func.coalesce(sa.func.sum(part), 0)).where(rent.c.period_end > scope.start)
        return int(cast("Any", await self._session.scalar(statement)))

    async def _one(self, statement: sa.Select[Any]) -> Sums:
        within, after = cast("tuple[Any, Any]", (await self._session.execute(statement)).one())
        return Sums(int(within), int(after))


def _calls_of(scope: Scope, split: Split) -> sa.Select[Any]:
    day = sa.func.date_trunc("day", usage.c.occurred_at, "UTC").label("day")
    if split is Split.SERVICE:
        key = _key("MODEL", usage.c.model_id, usage.c.model_account_id, sa.literal(""), usage.c.model_name)
    elif scope.direction is Direction.INCOME:
        payer = usage.c.payer_account_id
        key = _key("ACCOUNT", payer, payer, sa.literal(""), sa.literal(""))
    else:
        no_key = sa.literal(0)
        key = _key("KEY", sa.func.coalesce(usage.c.payer_key_id, no_key), no_key, sa.literal(""), sa.literal(""))
    return calls(scope, day, *key, sa.literal(1).label("calls"), USAGE_AMOUNT[scope.direction].label("amount"))


def _rents_of(scope: Scope, split: Split) -> sa.Select[Any]:
    day = sa.func.date_trunc("day", rent.c.period_start, "UTC").label("day")
    nothing = sa.literal(0)
    if split is Split.SERVICE:
        key = _key(rent.c.source_type, nothing, rent.c.owner_account_id, rent.c.source_name, rent.c.source_name)
    elif scope.direction is Direction.INCOME:
        key = _key("ACCOUNT", rent.c.payer_account_id, rent.c.payer_account_id, sa.literal(""), sa.literal(""))
    else:
        key = _key("HOSTING", nothing, nothing, sa.literal(""), sa.literal(""))
    return rents(scope, day, *key, nothing.label("calls"), RENT_AMOUNT[scope.direction].label("amount"))


def _key(
    kind: str | sa.ColumnElement[str],
    item: sa.ColumnElement[int],
    account: sa.ColumnElement[int],
    label: sa.ColumnElement[str],
    name: sa.ColumnElement[str],
) -> tuple[sa.ColumnElement[Any], ...]:
    of_kind = sa.literal(kind) if isinstance(kind, str) else kind
    return (
        of_kind.label("kind"),
        item.label("id"),
        account.label("account_id"),
        label.label("label"),
        name.label("name"),
    )


def _within_and_after(
    amount: sa.ColumnElement[int], within: sa.ColumnElement[bool]
) -> tuple[sa.ColumnElement[Any], sa.ColumnElement[Any]]:
    total = sa.cast(sa.func.sum(amount).filter(within), sa.Numeric)
    rest = sa.cast(sa.func.sum(amount).filter(sa.not_(within)), sa.Numeric)
    return sa.func.coalesce(total, 0), sa.func.coalesce(rest, 0)


def _sum(amount: sa.ColumnElement[Any], name: str) -> sa.ColumnElement[Any]:
    return sa.cast(sa.func.sum(amount), sa.Numeric).label(name)


def _seconds(length: sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    return sa.cast(sa.func.extract("epoch", length), sa.Numeric)
