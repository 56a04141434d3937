import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.features.images.tables import ImageColumns
from mlpcore.tables import Base


class DataImage(ImageColumns, Base):
    """An image of which instances get the folder `source_path` alone."""

    __tablename__ = "data_image"
    __table_args__ = (
        sa.UniqueConstraint("account_id", "name"),
        sa.Index(
            "ix_data_image_shared",
            "access_mode",
            "data_image_id",
            postgresql_where=sa.text("access_mode <> 'private'"),
        ),
    )

    image_id: Mapped[int] = mapped_column("data_image_id", sa.BigInteger, sa.Identity(), primary_key=True)
    source_path: Mapped[str] = mapped_column(sa.Text)
