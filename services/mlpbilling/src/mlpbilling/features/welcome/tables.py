from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class WelcomedPerson(Base):
    """A person who has had the welcome bonus. `person` is accountsadmin's keyed hash; the row is kept forever."""

    __tablename__ = "welcomed_person"

    person: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    user_id: Mapped[int]
    granted_at: Mapped[datetime]


class WelcomeDay(Base):
    """Number of bonuses on a day (UTC), for one network address or in total (empty `subject`)."""

    __tablename__ = "welcome_day"

    day: Mapped[date] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    granted: Mapped[int]
