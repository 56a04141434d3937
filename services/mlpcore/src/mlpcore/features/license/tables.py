from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class LicenseExcess(Base):
    """One row, `id` 1: since when more is used than the licence allows."""

    __tablename__ = "license_excess"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    since: Mapped[datetime]
