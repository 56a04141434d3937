from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class Attempts(Base):
    """How often something was tried within the window that is running, for one login or one address."""

    __tablename__ = "attempts"

    subject: Mapped[str] = mapped_column(primary_key=True)
    attempts: Mapped[int]
    window_ends_at: Mapped[datetime] = mapped_column(index=True)
