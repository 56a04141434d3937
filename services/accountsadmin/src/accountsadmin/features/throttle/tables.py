from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class Attempts(Base):
    """How often something was tried within the window that is running, for one subject such as a login or an address.

    `turn_at`: when the subject may go on, after it was told to wait. `line_ends_at`: when the next one that queues
    behind others for this subject may go on.
    """

    __tablename__ = "attempts"

    subject: Mapped[str] = mapped_column(primary_key=True)
    attempts: Mapped[int]
    window_ends_at: Mapped[datetime] = mapped_column(index=True)
    turn_at: Mapped[datetime | None]
    line_ends_at: Mapped[datetime | None]
