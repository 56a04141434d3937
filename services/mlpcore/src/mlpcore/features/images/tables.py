from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ImageColumns:
    """What an image of either kind has. `image` is the address in a registry.

    `image_id` is unique across all accounts, among the images of its kind.
    """

    image_id: Mapped[int]
    account_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
    image: Mapped[str] = mapped_column(sa.Text)
    access_mode: Mapped[str] = mapped_column(sa.Text)
    created_at: Mapped[datetime]


class Image(ImageColumns, Base):
    """An image that instances run."""

    __tablename__ = "image"
    __table_args__ = (
        sa.UniqueConstraint("account_id", "name"),
        sa.Index("ix_image_shared", "access_mode", "image_id", postgresql_where=sa.text("access_mode <> 'private'")),
    )

    image_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
