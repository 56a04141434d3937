from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpbilling.tables import Base


class WelcomedPerson(Base):
    """A person who has had the welcome bonus. `person` is accountsadmin's keyed hash; the row stays for ever."""

    __tablename__ = "welcomed_person"

    person: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    user_id: Mapped[int]
    granted_at: Mapped[datetime]


class WelcomeDay(Base):
    """How many bonuses were given on a day (UTC): to one address, or to all, whose `subject` is empty."""

    __tablename__ = "welcome_day"

    day: Mapped[date] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    granted: Mapped[int]
