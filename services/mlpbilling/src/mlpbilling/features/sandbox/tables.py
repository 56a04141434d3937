from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class SandboxPayment(Base):
    """The sandbox's own data. Of the platform's data it only stores the order's id, and reads none."""

    __tablename__ = "sandbox_payment"
    __table_args__ = (sa.UniqueConstraint("order_id"),)

    payment_id: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    order_id: Mapped[str] = mapped_column(sa.Text)
    currency: Mapped[str] = mapped_column(sa.Text)
    amount_nano: Mapped[int]
    return_url: Mapped[str] = mapped_column(sa.Text)
    outcome: Mapped[str] = mapped_column(sa.Text)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
