from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ModelActivity(Base):
    """When a model was last called. A table of its own: calls change it often, and nothing else waits for its locks."""

    __tablename__ = "model_activity"
    __table_args__ = (sa.Index("ix_model_activity_last_activity_at", "last_activity_at"),)

    model_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    last_activity_at: Mapped[datetime]


class AccountActivity(Base):
    """When an account last made a call."""

    __tablename__ = "account_activity"

    account_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    last_activity_at: Mapped[datetime]
