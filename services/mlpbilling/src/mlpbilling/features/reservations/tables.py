import uuid
from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class ReservationRow(Base):
    """`held_*` is what the reservation still holds: less after each settled usage, nothing after its end.

    `settled_*` is what usage has taken so far; `spent_*` is the gate's figure at release of what usage will take in
    total. A release moves `ends_at` to the time by which calls in progress must be reported again or usage must have
    arrived.
    """

    __tablename__ = "reservation"
    __table_args__ = (
        sa.CheckConstraint("held_nano >= 0 AND held_free_units >= 0", name="held"),
        sa.Index("ix_reservation_open", "ends_at", postgresql_where=sa.text("held_nano > 0 OR held_free_units > 0")),
        sa.Index("ix_reservation_holds", "payer_account_id", postgresql_where=sa.text("held_nano > 0")),
        sa.Index("ix_reservation_created_at", "created_at"),
    )

    reservation_id: Mapped[uuid.UUID] = mapped_column(postgresql.UUID(as_uuid=True), primary_key=True)
    gate: Mapped[str] = mapped_column(sa.Text)
    payer_account_id: Mapped[int]
    model_account_id: Mapped[int]
    model_id: Mapped[int]
    currency: Mapped[str] = mapped_column(sa.Text)
    month: Mapped[date]
    minimum_nano: Mapped[int]
    wanted_nano: Mapped[int]
    free_unit_quota: Mapped[int]
    wanted_free_units: Mapped[int]
    granted_nano: Mapped[int]
    granted_free_units: Mapped[int]
    held_nano: Mapped[int]
    held_free_units: Mapped[int]
    settled_nano: Mapped[int]
    settled_free_units: Mapped[int]
    spent_nano: Mapped[int] = mapped_column(server_default="0")
    spent_free_units: Mapped[int] = mapped_column(server_default="0")
    created_at: Mapped[datetime]
    usable_until: Mapped[datetime]
    ends_at: Mapped[datetime]


class FreeUnits(Base):
    """Free units of one model that one payer has used or holds in a month (UTC, given by its first day)."""

    __tablename__ = "free_units"
    __table_args__ = (sa.CheckConstraint("held >= 0", name="held"),)

    payer_account_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    model_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    month: Mapped[date] = mapped_column(primary_key=True)
    used: Mapped[int]
    held: Mapped[int]
