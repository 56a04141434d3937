"""SQL of the history of decisions."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.scaling_rules.tables import ScalingDecision

_AT_ONCE = 10_000


class DecisionRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, decision: ScalingDecision) -> None:
        """Stores it. Its id is set afterwards."""
        self._session.add(decision)
        await self._session.flush()

    async def of_model(
        self, *, account_id: int, model_id: int, before: int | None, since: datetime | None, limit: int
    ) -> Sequence[ScalingDecision]:
        """Returns the newest ones first: with ids below `before`, not older than `since`."""
        found = sa.select(ScalingDecision).where(
            ScalingDecision.account_id == account_id, ScalingDecision.model_id == model_id
        )
        if before is not None:
            found = found.where(ScalingDecision.decision_id < before)
        if since is not None:
            found = found.where(ScalingDecision.decided_at >= since)
        return (await self._session.scalars(found.order_by(ScalingDecision.decision_id.desc()).limit(limit))).all()

    async def forget(self, before: datetime) -> int:
        """Deletes up to 10,000 older ones. Returns how many."""
        old = sa.select(ScalingDecision.decision_id).where(ScalingDecision.decided_at < before).limit(_AT_ONCE)
        deleted = await self._session.execute(
            sa.delete(ScalingDecision)
            .where(ScalingDecision.decision_id.in_(old))
            .returning(ScalingDecision.decision_id)
        )
        return len(deleted.all())
