from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class Attempts(Base):
    """Attempts of one subject, such as a login or an address, within the current window.

    `turn_at` is when the subject may continue after it was told to wait. `line_ends_at` is when the next attempt that
    queues for this subject may continue.
    """

    __tablename__ = "attempts"

    subject: Mapped[str] = mapped_column(primary_key=True)
    attempts: Mapped[int]
    window_ends_at: Mapped[datetime] = mapped_column(index=True)
    turn_at: Mapped[datetime | None]
    line_ends_at: Mapped[datetime | None]
