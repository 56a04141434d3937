"""Idempotency keys of predictions: while a prediction has one, no call that waits for its answer can use it."""

import uuid
from collections.abc import Sequence
from datetime import timedelta

from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.features.idempotency.errors import IdempotencyKeyReused
from mlpgateway.features.idempotency.repository import PREDICTION, IdempotentCallRepository


class PredictionKeys:
    """Records of idempotent calls that stand for predictions. They hold no answer, and end with their prediction."""

    def __init__(self, session: AsyncSession) -> None:
        self._calls = IdempotentCallRepository(session)

    async def claim(self, account_id: int, scope: str, fingerprint: str) -> None:
        """Raises IdempotencyKeyReused when another request has had its effect, or is having it, with the same key."""
        mine = f"{PREDICTION}{fingerprint}"
        known = await self._calls.claim(account_id, scope, fingerprint=mine, token=uuid.uuid4())
        if known.fingerprint != mine:
            raise IdempotencyKeyReused

    async def old(self, age: timedelta, *, after: tuple[int, str], limit: int) -> list[tuple[int, str]]:
        """Returns accounts and scopes of keys older than `age`, in their order, those after the given one.

        No prediction gets one of these keys before the transaction ends.
        """
        return await self._calls.old_predictions(age, after, limit)

    async def forget(self, scopes: Sequence[tuple[int, str]]) -> None:
        """Lets the keys of predictions be used again. `scopes` are their accounts and scopes."""
        await self._calls.forget_predictions(scopes)
