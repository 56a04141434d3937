import uuid
from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.refills.orders import RefillOrder, RefillSource
from mlpbilling.features.refills.tables import Refill

_NEXT_ID = sa.select(sa.func.nextval(sa.func.pg_get_serial_sequence(Refill.__tablename__, "id")))


class RefillRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(
        self, order: RefillOrder, transaction_id: uuid.UUID, now: datetime, refill_id: int | None = None
    ) -> Refill | None:
        """Returns None if the key was used in this account, or if the user already had the welcome bonus.

        `refill_id` is an id from `next_id`; by default a new one is taken.
        """
        given = {} if refill_id is None else {"id": refill_id}
        statement = (
            postgresql.insert(Refill)
            .values(
                **given,
                account_id=order.account_id,
                source=order.source,
                currency=order.currency,
                amount_nano=order.amount_nano,
                user_id=order.user_id,
                comment=order.comment,
                idempotency_key=order.idempotency_key,
                transaction_id=transaction_id,
                created_at=now,
            )
            .on_conflict_do_nothing()
            .returning(Refill)
        )
        return (await self._session.execute(statement)).scalar_one_or_none()

    async def next_id(self) -> int:
        return (await self._session.execute(_NEXT_ID)).scalar_one()

    async def by_key(self, *, account_id: int, idempotency_key: str) -> Refill | None:
        statement = sa.select(Refill).where(Refill.account_id == account_id, Refill.idempotency_key == idempotency_key)
        return (await self._session.execute(statement)).scalar_one_or_none()

    async def welcome_bonus_of(self, *, user_id: int) -> Refill | None:
        statement = sa.select(Refill).where(Refill.user_id == user_id, Refill.source == RefillSource.WELCOME_BONUS)
        return (await self._session.execute(statement)).scalar_one_or_none()

    async def history(self, *, account_id: int, limit: int) -> Sequence[Refill]:
        """Returns the refills, newest first."""
        statement = sa.select(Refill).where(Refill.account_id == account_id).order_by(Refill.id.desc()).limit(limit)
        return (await self._session.execute(statement)).scalars().all()
