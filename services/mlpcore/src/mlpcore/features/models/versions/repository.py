"""SQL of the versions of models."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import defer

from mlpcore.features.models.tables import ModelVersion


class VersionRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def newest(self, *, account_id: int, model_id: int) -> ModelVersion | None:
        """Stays the newest one while the caller has locked the model."""
        statement = sa.select(ModelVersion).where(*_of(account_id, model_id))
        return (await self._session.scalars(statement.order_by(ModelVersion.number.desc()).limit(1))).first()

    async def find(self, *, account_id: int, model_id: int, number: int) -> ModelVersion | None:
        wanted = (*_of(account_id, model_id), ModelVersion.number == number)
        return (await self._session.scalars(sa.select(ModelVersion).where(*wanted))).first()

    async def append(self, values: Mapping[str, object]) -> None:
        await self._session.execute(sa.insert(ModelVersion).values(**values))

    async def page(
        self, *, account_id: int, model_id: int, offset: int, limit: int, descending: bool
    ) -> tuple[Sequence[ModelVersion], int]:
        """Returns a page of the model's versions, without their documents, and their total."""
        wanted = _of(account_id, model_id)
        order = ModelVersion.number.desc() if descending else ModelVersion.number.asc()
        rows = await self._session.scalars(
            sa.select(ModelVersion)
            .options(defer(ModelVersion.document, raiseload=True))
            .where(*wanted)
            .order_by(order)
            .offset(offset)
            .limit(limit)
        )
        total = await self._session.scalar(sa.select(sa.func.count()).select_from(ModelVersion).where(*wanted))
        return rows.all(), total or 0


def _of(account_id: int, model_id: int) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return ModelVersion.account_id == account_id, ModelVersion.model_id == model_id
