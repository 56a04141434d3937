from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class Rent(Base):
    """One account's use of a priced resource of another account. A use that begins again continues with the same row.

    `version` rises with each RentChanged.
    """

    __tablename__ = "rent"
    __table_args__ = (sa.UniqueConstraint("source_type", "source_id", "payer_account_id"),)

    rent_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    source_type: Mapped[str] = mapped_column(sa.Text)
    source_id: Mapped[int]
    source_name: Mapped[str] = mapped_column(sa.Text)
    owner_account_id: Mapped[int]
    payer_account_id: Mapped[int]
    price_nano: Mapped[int]
    currency: Mapped[str] = mapped_column(sa.Text)
    period: Mapped[str] = mapped_column(sa.Text)
    started_at: Mapped[datetime]
    changed_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    version: Mapped[int]
