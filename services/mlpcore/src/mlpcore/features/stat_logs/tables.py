from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class StatLog(Base):
    """An entry in the log of an account's objects, which its members read. `args`: the values in `message`."""

    __tablename__ = "stat_log"
    __table_args__ = (
        sa.Index("ix_stat_log_model", "account_id", "model_id", "record_id"),
        sa.Index(
            "ix_stat_log_group",
            "account_id",
            "resource_group",
            "record_id",
            postgresql_where=sa.text("resource_group IS NOT NULL"),
        ),
        sa.Index(
            "ix_stat_log_image",
            "account_id",
            "image_id",
            "record_id",
            postgresql_where=sa.text("image_id IS NOT NULL"),
        ),
        sa.Index(
            "ix_stat_log_data_image",
            "account_id",
            "data_image_id",
            "record_id",
            postgresql_where=sa.text("data_image_id IS NOT NULL"),
        ),
        sa.Index(
            "ix_stat_log_dataset",
            "account_id",
            "dataset_id",
            "record_id",
            postgresql_where=sa.text("dataset_id IS NOT NULL"),
        ),
    )

    record_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    user_id: Mapped[int | None]
    node: Mapped[str | None] = mapped_column(sa.Text)
    image_id: Mapped[int | None]
    data_image_id: Mapped[int | None]
    dataset_id: Mapped[int | None]
    model_id: Mapped[int | None]
    job_id: Mapped[int | None]
    resource_group: Mapped[str | None] = mapped_column(sa.Text)
    at: Mapped[datetime]
    level: Mapped[str] = mapped_column(sa.Text)
    code: Mapped[str] = mapped_column(sa.Text)
    args: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB)
    message: Mapped[str] = mapped_column(sa.Text)
