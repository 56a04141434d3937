from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.sandbox.tables import SandboxPayment
from mlpbilling.payment_provider import Outcome, PaymentOrder


class SandboxRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def ensure(self, order: PaymentOrder, *, payment_id: str, now: datetime) -> SandboxPayment:
        """Returns the order's payment; creates it if it is missing."""
        statement = postgresql.insert(SandboxPayment).values(
            payment_id=payment_id,
            order_id=order.order_id,
            currency=order.currency,
            amount_nano=order.amount_nano,
            return_url=order.return_url,
            outcome=Outcome.OPEN,
            created_at=now,
            expires_at=order.expires_at,
        )
        await self._session.execute(statement.on_conflict_do_nothing(index_elements=["order_id"]))
        found = sa.select(SandboxPayment).where(SandboxPayment.order_id == order.order_id)
        return (await self._session.scalars(found)).one()

    async def find(self, payment_id: str) -> SandboxPayment | None:
        return await self._session.get(SandboxPayment, payment_id)

    async def settle(self, payment_id: str, outcome: Outcome, *, now: datetime) -> bool:
        """Returns whether this call settled the payment: of concurrent calls only one does, none after expiry."""
        statement = (
            sa.update(SandboxPayment)
            .where(
                SandboxPayment.payment_id == payment_id,
                SandboxPayment.outcome == Outcome.OPEN,
                SandboxPayment.expires_at > now,
            )
            .values(outcome=outcome)
            .returning(SandboxPayment.payment_id)
        )
        return await self._session.scalar(statement) is not None
