import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.payments.states import OPEN, AttemptState
from mlpbilling.features.payments.tables import PaymentAttempt, PaymentNotice
from mlpbilling.payment_provider import Report
from mlplace_kit.pagination import PageRequest
from mlplace_runtime.db.claims import DueRows
from mlplace_runtime.db.polling import ONE, moment

_CHECKS = DueRows(
    PaymentAttempt,
    key=PaymentAttempt.attempt_id,
    due=PaymentAttempt.next_check_at,
    waiting=PaymentAttempt.next_check_at.is_not(None),
)


@dataclass(frozen=True, slots=True)
class Notice:
    """The record of a provider's report."""

    received_at: datetime
    provider: str
    source: str
    attempt_id: uuid.UUID
    report: Report
    verdict: str


DUE: Final = sa.select(ONE).where(_CHECKS.free(moment("now"))).limit(ONE)


class PaymentRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, attempt: PaymentAttempt) -> None:
        self._session.add(attempt)
        await self._session.flush()

    async def count_open(self, *, account_id: int) -> int:
        statement = sa.select(sa.func.count()).where(
            PaymentAttempt.account_id == account_id, PaymentAttempt.state.in_(OPEN)
        )
        return (await self._session.execute(statement)).scalar_one()

    async def lock(self, attempt_id: uuid.UUID) -> PaymentAttempt | None:
        """Returns the current attempt, locked until the transaction ends."""
        statement = sa.select(PaymentAttempt).where(PaymentAttempt.attempt_id == attempt_id).with_for_update()
        return await self._session.scalar(statement, execution_options={"populate_existing": True})

    async def store(self, attempt: PaymentAttempt) -> None:
        self._session.add(attempt)
        await self._session.flush()

    async def claim_due(self, *, now: datetime, limit: int) -> Sequence[PaymentAttempt]:
        """Returns attempts to ask the provider about, locked; skips those that another process has locked."""
        return (await self._session.scalars(_CHECKS.select_for_update(now=now, limit=limit))).all()

    async def unfinished(self, *, account_id: int, limit: int) -> Sequence[PaymentAttempt]:
        """Returns attempts that have not become refills, newest first."""
        statement = (
            sa.select(PaymentAttempt)
            .where(PaymentAttempt.account_id == account_id, PaymentAttempt.state != AttemptState.SUCCEEDED)
            .order_by(PaymentAttempt.refill_id.desc())
            .limit(limit)
        )
        return (await self._session.scalars(statement)).all()

    async def note(self, notice: Notice) -> None:
        report = notice.report
        await self._session.execute(
            sa.insert(PaymentNotice).values(
                received_at=notice.received_at,
                provider=notice.provider,
                source=notice.source,
                attempt_id=notice.attempt_id,
                payment_id=report.payment_id,
                outcome=report.outcome,
                currency=report.currency,
                amount_nano=report.amount_nano,
                verdict=notice.verdict,
            )
        )

    async def mismatches(self, request: PageRequest) -> tuple[Sequence[tuple[PaymentNotice, PaymentAttempt]], int]:
        wanted = PaymentNotice.verdict == "MISMATCH"
        order = PaymentNotice.id.desc() if request.descending else PaymentNotice.id.asc()
        statement = (
            sa.select(PaymentNotice, PaymentAttempt)
            .join(PaymentAttempt, PaymentAttempt.attempt_id == PaymentNotice.attempt_id)
            .where(wanted)
            .order_by(order)
            .limit(request.size)
            .offset(request.offset)
        )
        rows = (await self._session.execute(statement)).all()
        total = sa.select(sa.func.count()).select_from(PaymentNotice).where(wanted)
        return [(row[0], row[1]) for row in rows], (await self._session.execute(total)).scalar_one()
