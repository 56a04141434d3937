"""The calls and rents behind the figures of a statement."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.statements.movements import RENT_AMOUNT, USAGE_AMOUNT, Scope, calls, rent, rents, usage
from mlplace_kit.pagination import PageRequest

NO_KEY = 0
"""Calls without an API key, for example from the web interface."""


@dataclass(frozen=True, slots=True)
class CallFilter:
    """None: any. `key_id` may be NO_KEY."""

    model_id: int | None = None
    payer_account_id: int | None = None
    key_id: int | None = None


@dataclass(frozen=True, slots=True)
class RentFilter:
    source_type: str | None = None
    source_name: str | None = None
    owner_account_id: int | None = None
    payer_account_id: int | None = None


@dataclass(frozen=True, slots=True)
class CallEntry:
    usage_id: uuid.UUID
    occurred_at: datetime
    request_id: str
    operation: str
    model_account_id: int
    model_id: int
    model_name: str
    payer_account_id: int
    payer_key_id: int | None
    units: int
    amount_nano: int


@dataclass(frozen=True, slots=True)
class RentEntry:
    charge_id: uuid.UUID
    period_start: datetime
    period_end: datetime
    periods: int
    source_type: str
    source_name: str
    owner_account_id: int
    payer_account_id: int
    amount_nano: int


class EntryRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def calls(self, scope: Scope, wanted: CallFilter, page: PageRequest) -> tuple[list[CallEntry], int, int]:
        """Returns a page, newest first, and the number and the sum of all entries."""
        amount = USAGE_AMOUNT[scope.direction]
        u = usage.c
        columns = (
            u.usage_id, u.occurred_at, u.request_id, u.operation, u.model_account_id, u.model_id, u.model_name,
            u.payer_account_id, u.payer_key_id, u.units, amount,
        )  # fmt: skip
        where = _calls_where(wanted)
        rows = await self._page(calls(scope, *columns).where(*where), (u.occurred_at.desc(), u.usage_id), page)
        count, total = await self._sums(calls(scope, *_count_and_sum(amount)).where(*where))
        return [CallEntry(*row) for row in rows], count, total

    async def rents(self, scope: Scope, wanted: RentFilter, page: PageRequest) -> tuple[list[RentEntry], int, int]:
        """Returns a page, newest first, and the number and the sum of all entries."""
        amount = RENT_AMOUNT[scope.direction]
        r = rent.c
        columns = (
            r.charge_id, r.period_start, r.period_end, r.periods, r.source_type, r.source_name, r.owner_account_id,
            r.payer_account_id, amount,
        )  # fmt: skip
        conditions = {
            r.source_type: wanted.source_type,
            r.source_name: wanted.source_name,
            r.owner_account_id: wanted.owner_account_id,
            r.payer_account_id: wanted.payer_account_id,
        }
        where = [column == value for column, value in conditions.items() if value is not None]
        rows = await self._page(rents(scope, *columns).where(*where), (r.period_start.desc(), r.charge_id), page)
        count, total = await self._sums(rents(scope, *_count_and_sum(amount)).where(*where))
        return [RentEntry(*row) for row in rows], count, total

    async def _page(
        self, statement: sa.Select[Any], order: tuple[sa.ColumnElement[Any], ...], page: PageRequest
    ) -> Sequence[Any]:
        paged = statement.order_by(*order).offset(page.offset).limit(page.size)
        return (await self._session.execute(paged)).all()

    async def _sums(self, statement: sa.Select[Any]) -> tuple[int, int]:
        count, total = cast("tuple[Any, Any]", (await self._session.execute(statement)).one())
        return int(count), int(total)


def _count_and_sum(amount: sa.ColumnElement[int]) -> tuple[sa.ColumnElement[Any], sa.ColumnElement[Any]]:
    return sa.func.count(), sa.cast(sa.func.coalesce(sa.func.sum(amount), 0), sa.Numeric)


def _calls_where(wanted: CallFilter) -> list[sa.ColumnElement[bool]]:
    where: list[sa.ColumnElement[bool]] = []
    if wanted.model_id is not None:
        where.append(usage.c.model_id == wanted.model_id)
    if wanted.payer_account_id is not None:
        where.append(usage.c.payer_account_id == wanted.payer_account_id)
    if wanted.key_id == NO_KEY:
        where.append(usage.c.payer_key_id.is_(None))
    elif wanted.key_id is not None:
        where.append(usage.c.payer_key_id == wanted.key_id)
    return where
