"""SQL of models: one model at a time."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.models.tables import Model
from mlplace_kit.names import PathRef, is_model_name


class ModelRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def owned(self, *, account_id: int, ref: PathRef, lock: bool = False) -> Model | None:
        """A live model of the account, by id or name. `lock`: nobody else changes it until the transaction ends."""
        statement = sa.select(Model).where(Model.account_id == account_id, Model.deleted_at.is_(None))
        if ref.id is not None:
            statement = statement.where(Model.model_id == ref.id)
        elif ref.name is not None and is_model_name(ref.name):
            statement = statement.where(Model.name == ref.name)
        else:
            return None
        return (await self._session.scalars(statement.with_for_update() if lock else statement)).first()
