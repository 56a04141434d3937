"""SQL of the statistics log."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.stat_logs.tables import StatLog


class StatLogRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def add(self, entry: StatLog) -> None:
        self._session.add(entry)

    async def of_model(self, *, account_id: int, model_id: int, limit: int) -> Sequence[StatLog]:
        """Returns the newest entries, the newest first."""
        mine = sa.select(StatLog).where(StatLog.account_id == account_id, StatLog.model_id == model_id)
        return (await self._session.scalars(mine.order_by(StatLog.record_id.desc()).limit(limit))).all()
