from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class LicenseExcess(Base):
    """One row with `id` 1: the time when the usage first exceeded the licence. No row without an excess."""

    __tablename__ = "license_excess"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    since: Mapped[datetime]
