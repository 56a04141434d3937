from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class StatLog(Base):
    """An entry in the log of an account's objects, which its members read. `args`: the values in `message`."""

    __tablename__ = "stat_log"
    __table_args__ = (sa.Index("ix_stat_log_model", "account_id", "model_id", "record_id"),)

    record_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    user_id: Mapped[int | None]
    node: Mapped[str | None] = mapped_column(sa.Text)
    image_id: Mapped[int | None]
    model_id: Mapped[int | None]
    job_id: Mapped[int | None]
    resource_group: Mapped[str | None] = mapped_column(sa.Text)
    at: Mapped[datetime]
    level: Mapped[str] = mapped_column(sa.Text)
    code: Mapped[str] = mapped_column(sa.Text)
    args: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB)
    message: Mapped[str] = mapped_column(sa.Text)
