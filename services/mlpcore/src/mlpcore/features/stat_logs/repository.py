"""SQL of the statistics log."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from mlpcore.features.stat_logs.entries import GroupEntries
from mlpcore.features.stat_logs.tables import StatLog
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.pagination import PageRequest
from mlplace_kit.violations import broken
from mlplace_runtime.db.bulk import given_rows

_SORT: Mapping[str, InstrumentedAttribute[Any]] = {
    "id": StatLog.record_id,
    "recordId": StatLog.record_id,
    "timestamp": StatLog.at,
    "level": StatLog.level,
    "code": StatLog.code,
    "node": StatLog.node,
}


class StatLogRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def add(self, entry: StatLog) -> None:
        self._session.add(entry)

    async def add_all(
        self, rows: Sequence[tuple[int, int, str, Mapping[str, object]]], *, code: str, level: str, at: datetime
    ) -> None:
        """Adds entries about models: account, model, message and arguments of each."""
        given = given_rows(
            {
                "account_id": (sa.BigInteger(), [row[0] for row in rows]),
                "model_id": (sa.BigInteger(), [row[1] for row in rows]),
                "message": (sa.Text(), [row[2] for row in rows]),
                "args": (sa.Text(), [json.dumps(row[3]) for row in rows]),
            }
        )
        columns = ["account_id", "model_id", "message", "args", "code", "level", "at"]
        chosen = sa.select(
            given.c.account_id,
            given.c.model_id,
            given.c.message,
            sa.cast(given.c.args, postgresql.JSONB),
            sa.literal(code),
            sa.literal(level),
            sa.literal(at),
        )
        await self._session.execute(sa.insert(StatLog).from_select(columns, chosen))

    async def of_model(self, *, account_id: int, model_id: int, limit: int) -> Sequence[StatLog]:
        """Returns the newest entries, the newest first."""
        return await self._newest(StatLog.account_id == account_id, StatLog.model_id == model_id, limit=limit)

    async def of_image(self, *, account_id: int, image_id: int, limit: int) -> Sequence[StatLog]:
        """Returns the newest entries, the newest first."""
        return await self._newest(StatLog.account_id == account_id, StatLog.image_id == image_id, limit=limit)

    async def of_data_image(self, *, account_id: int, data_image_id: int, limit: int) -> Sequence[StatLog]:
        """Returns the newest entries, the newest first."""
        return await self._newest(StatLog.account_id == account_id, StatLog.data_image_id == data_image_id, limit=limit)

    async def of_dataset(self, *, account_id: int, dataset_id: int, limit: int) -> Sequence[StatLog]:
        """Returns the newest entries, the newest first."""
        return await self._newest(StatLog.account_id == account_id, StatLog.dataset_id == dataset_id, limit=limit)

    async def of_group(self, wanted: GroupEntries, *, limit: int) -> Sequence[StatLog]:
        """Returns the newest entries, the newest first."""
        return await self._newest(*_conditions(wanted), limit=limit)

    async def page_of_group(self, wanted: GroupEntries, page: PageRequest) -> tuple[Sequence[StatLog], int]:
        """Returns a page of the entries and the total count. Raises ValidationFailed for an unknown sort field."""
        if page.sort_field not in _SORT:
            raise ValidationFailed({"sort": broken("sort", allowed=", ".join(_SORT))})
        conditions = _conditions(wanted)
        total = await self._session.scalar(sa.select(sa.func.count()).select_from(StatLog).where(*conditions)) or 0
        column = _SORT[page.sort_field]
        order = (column.desc() if page.descending else column.asc(), StatLog.record_id.desc())
        statement = sa.select(StatLog).where(*conditions).order_by(*order).limit(page.size).offset(page.offset)
        return (await self._session.scalars(statement)).all(), total

    async def rename_group(self, *, account_id: int, old: str, new: str) -> None:
        """Keeps the history of a group that gets a new name."""
        of_group = (StatLog.account_id == account_id, StatLog.resource_group == old)
        await self._session.execute(sa.update(StatLog).where(*of_group).values(resource_group=new))

    async def forget(self, *, before: datetime, most: int) -> int:
        """Deletes entries from before then, if they are among the `most` oldest ones. Returns how many."""
        oldest = sa.select(StatLog.record_id, StatLog.at).order_by(StatLog.record_id).limit(most).subquery()
        old = sa.select(oldest.c.record_id).where(oldest.c.at < before)
        statement = sa.delete(StatLog).where(StatLog.record_id.in_(old)).returning(StatLog.record_id)
        found = await self._session.execute(statement, execution_options={"synchronize_session": False})
        return len(found.all())

    async def _newest(self, *conditions: sa.ColumnElement[bool], limit: int) -> Sequence[StatLog]:
        statement = sa.select(StatLog).where(*conditions).order_by(StatLog.record_id.desc()).limit(limit)
        return (await self._session.scalars(statement)).all()


def _conditions(wanted: GroupEntries) -> list[sa.ColumnElement[bool]]:
    found = [StatLog.account_id == wanted.account_id, StatLog.resource_group == wanted.group]
    if wanted.codes:
        found.append(StatLog.code.in_(wanted.codes))
    if wanted.without:
        found.append(StatLog.code.not_in(wanted.without))
    if wanted.node is not None:
        found.append(StatLog.node == wanted.node)
    if wanted.since is not None:
        found.append(StatLog.at >= wanted.since)
    return found
