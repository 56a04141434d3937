from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class Dataset(Base):
    """The content is the object `object_key` of `size` bytes; without one the dataset is empty.

    An object is stored before the row refers to it, and deleted after, a replaced one when its readers have had time.
    `version` rises with each new content. `rows` and `columns` are those of a table. `warnings` are findings with
    `code` and `args`, and `warning` their English text: the previous release has written only that.
    """

    __tablename__ = "dataset"
    __table_args__ = (
        sa.UniqueConstraint("account_id", "name"),
        sa.Index("ix_dataset_shared", "data_type", "dataset_id", postgresql_where=sa.text("access_mode <> 'private'")),
        sa.Index("uq_dataset_object_key", "object_key", unique=True),
    )

    dataset_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
    description: Mapped[str | None] = mapped_column(sa.Text)
    data_type: Mapped[str] = mapped_column(sa.Text)
    access_mode: Mapped[str] = mapped_column(sa.Text)
    version: Mapped[int]
    object_key: Mapped[str | None] = mapped_column(sa.Text)
    size: Mapped[int]
    sha256: Mapped[str | None] = mapped_column(sa.Text)
    rows: Mapped[int | None]
    columns: Mapped[list[str] | None] = mapped_column(postgresql.ARRAY(sa.Text))
    warning: Mapped[str | None] = mapped_column(sa.Text)
    warnings: Mapped[list[dict[str, object]] | None] = mapped_column(postgresql.JSONB)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
