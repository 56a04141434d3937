import uuid
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class Refill(Base):
    """A credit to a main balance, and its audit record. The service's role may not change it.

    `user_id` is who ordered it, null for the installation itself. `idempotency_key` is the caller's.
    """

    __tablename__ = "refill"
    __table_args__ = (
        sa.UniqueConstraint("account_id", "idempotency_key"),
        sa.Index(
            "uq_refill_welcome_bonus", "user_id", unique=True, postgresql_where=sa.text("source = 'WELCOME_BONUS'")
        ),
        sa.Index("ix_refill_history", "account_id", "id"),
    )

    id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    source: Mapped[str] = mapped_column(sa.Text)
    currency: Mapped[str] = mapped_column(sa.Text)
    amount_nano: Mapped[int]
    user_id: Mapped[int | None]
    comment: Mapped[str] = mapped_column(sa.Text)
    idempotency_key: Mapped[str] = mapped_column(sa.Text)
    transaction_id: Mapped[uuid.UUID]
    created_at: Mapped[datetime]
