"""SQL of recent calls: which models an owner may ask about."""

from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.tables import Model


class OwnModels:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of(self, account_id: int, model_ids: Collection[int]) -> list[int]:
        """Returns those of the models that are live and belong to the account."""
        mine = sa.select(Model.model_id).where(
            Model.account_id == account_id, Model.deleted_at.is_(None), Model.model_id.in_(model_ids)
        )
        return list(await self._session.scalars(mine.order_by(Model.model_id)))
