"""Idempotency keys of predictions: none of them has an effect for a call that waits for its answer, too."""

import uuid

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.features.idempotency.errors import IdempotencyKeyReused
from mlpgateway.features.idempotency.repository import IdempotentCallRepository


class PredictionKeys:
    """Records of idempotent calls that stand for predictions. They are never answered."""

    def __init__(self, session: AsyncSession) -> None:
        self._calls = IdempotentCallRepository(session)

    async def claim(self, account_id: int, scope: str, fingerprint: str) -> None:
        """Raises IdempotencyKeyReused when another request has had its effect, or is having it, with the same key."""
        mine = f"prediction {fingerprint}"
        known = await self._calls.claim(account_id, scope, fingerprint=mine, token=uuid.uuid4())
        if known.fingerprint != mine:
            raise IdempotencyKeyReused

    async def forget(self, scopes: sa.Select[int, str | None]) -> None:
        """Lets keys be used again. `scopes` selects account and scope of their predictions."""
        await self._calls.forget_scopes(scopes)
