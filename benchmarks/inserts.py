"""Inserts rows of which only some columns matter."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, cast

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.tables import Base

_EMPTY: Mapping[type, object] = {int: 0, Decimal: 0, float: 0.0, str: "", bool: False, bytes: b"", dict: {}, list: []}


async def insert(session: AsyncSession, table: type[Base], rows: Sequence[Mapping[str, Any]]) -> Sequence[int]:
    """Inserts the rows, with empty values in the other columns that need one. Returns the first part of their keys."""
    columns = cast("sa.Table", table.__table__).columns
    empty = {
        column.name: _empty(column)
        for column in columns
        if not (column.nullable or column.primary_key or column.server_default is not None)
    }
    key = next(iter(cast("sa.Table", table.__table__).primary_key.columns))
    statement = sa.insert(table).returning(key, sort_by_parameter_order=True)
    return (await session.scalars(statement, [{**empty, **row} for row in rows])).all()


def _empty(column: sa.Column[Any]) -> object:
    if isinstance(column.type, sa.DateTime):
        return datetime.now(UTC)
    return _EMPTY.get(column.type.python_type, {})
