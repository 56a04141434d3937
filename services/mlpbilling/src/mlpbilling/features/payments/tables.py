import uuid
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class PaymentAttempt(Base):
    """A card payment in progress. `refill_id` is reserved for the refill that it becomes.

    `reason` says why it failed. `next_check_at` is when the provider will be asked about it; null means never.
    """

    __tablename__ = "payment_attempt"
    __table_args__ = (
        sa.UniqueConstraint("refill_id"),
        sa.CheckConstraint("amount_nano > 0", name="amount"),
        sa.Index("ix_payment_attempt_account", "account_id", "refill_id"),
        sa.Index("ix_payment_attempt_checks", "next_check_at", postgresql_where=sa.text("next_check_at IS NOT NULL")),
    )

    attempt_id: Mapped[uuid.UUID] = mapped_column(postgresql.UUID(as_uuid=True), primary_key=True)
    refill_id: Mapped[int]
    account_id: Mapped[int]
    user_id: Mapped[int]
    currency: Mapped[str] = mapped_column(sa.Text)
    amount_nano: Mapped[int]
    provider: Mapped[str] = mapped_column(sa.Text)
    state: Mapped[str] = mapped_column(sa.Text)
    reason: Mapped[str | None] = mapped_column(sa.Text)
    payment_id: Mapped[str | None] = mapped_column(sa.Text)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    settled_at: Mapped[datetime | None]
    checks: Mapped[int]
    next_check_at: Mapped[datetime | None]


class PaymentNotice(Base):
    """A provider's report and its result. The service's role may not change it.

    `source` is CALLBACK or LOOK_UP; `verdict` is APPLIED, REPEATED or MISMATCH.
    """

    __tablename__ = "payment_notice"
    __table_args__ = (
        sa.Index("ix_payment_notice_attempt", "attempt_id", "id"),
        sa.Index("ix_payment_notice_mismatch", "id", postgresql_where=sa.text("verdict = 'MISMATCH'")),
    )

    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    received_at: Mapped[datetime]
    provider: Mapped[str] = mapped_column(sa.Text)
    source: Mapped[str] = mapped_column(sa.Text)
    attempt_id: Mapped[uuid.UUID] = mapped_column(sa.ForeignKey("payment_attempt.attempt_id"))
    payment_id: Mapped[str] = mapped_column(sa.Text)
    outcome: Mapped[str] = mapped_column(sa.Text)
    currency: Mapped[str] = mapped_column(sa.Text)
    amount_nano: Mapped[int]
    verdict: Mapped[str] = mapped_column(sa.Text)
