import uuid
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class Rent(Base):
    """A rent that one account pays to another, as published by mlpcore, and how far it is paid.

    Periods count from `anchor_at`, when the current terms began: `periods_paid` of them are paid, up to `paid_until`.
    `due` is false once the rent has ended and is paid up to its end, and for a free rent.
    """

    __tablename__ = "rent"
    __table_args__ = (sa.Index("ix_rent_due", "paid_until", postgresql_where=sa.text("due")),)

    rent_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    version: Mapped[int]
    source_type: Mapped[str] = mapped_column(sa.Text)
    source_name: Mapped[str] = mapped_column(sa.Text)
    owner_account_id: Mapped[int]
    payer_account_id: Mapped[int]
    price_nano: Mapped[int]
    currency: Mapped[str] = mapped_column(sa.Text)
    period: Mapped[str] = mapped_column(sa.Text)
    anchor_at: Mapped[datetime]
    periods_paid: Mapped[int]
    paid_until: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    due: Mapped[bool]


class RentCharge(Base):
    """Periods of a rent that were charged together. The service's role may not change it."""

    __tablename__ = "rent_charge"
    __table_args__ = (
        sa.UniqueConstraint("rent_id", "period_start"),
        sa.Index("ix_rent_charge_spending", "payer_account_id", "currency", "period_start"),
        sa.Index("ix_rent_charge_income", "owner_account_id", "currency", "period_start"),
    )

    charge_id: Mapped[uuid.UUID] = mapped_column(postgresql.UUID(as_uuid=True), primary_key=True)
    rent_id: Mapped[int]
    source_type: Mapped[str] = mapped_column(sa.Text)
    source_name: Mapped[str] = mapped_column(sa.Text)
    owner_account_id: Mapped[int]
    payer_account_id: Mapped[int]
    currency: Mapped[str] = mapped_column(sa.Text)
    period_start: Mapped[datetime]
    period_end: Mapped[datetime]
    periods: Mapped[int]
    charged_nano: Mapped[int]
    fee_nano: Mapped[int]
    transaction_id: Mapped[uuid.UUID]
    recorded_at: Mapped[datetime]
