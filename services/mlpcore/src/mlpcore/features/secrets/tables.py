from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base

WHOLE_ACCOUNT = 0


class Secret(Base):
    """`model_id`: the only model that may use it; WHOLE_ACCOUNT: every model of the account. The value is encrypted."""

    __tablename__ = "secret"
    __table_args__ = (sa.UniqueConstraint("account_id", "model_id", "name"),)

    secret_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    model_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
    value_sealed: Mapped[bytes]
    version: Mapped[int]
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(sa.Text)
    updated_at: Mapped[datetime]
    updated_by: Mapped[str] = mapped_column(sa.Text)
