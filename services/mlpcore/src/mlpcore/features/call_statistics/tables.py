from datetime import date, datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ModelCallDay(Base):
    """Calls of a model in one bucket on one day (UTC). The buckets are those of `histogram.py`."""

    __tablename__ = "model_call_day"
    __table_args__ = (sa.Index("ix_model_call_day_day", "day"),)

    model_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    day: Mapped[date] = mapped_column(sa.Date, primary_key=True)
    bucket: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(sa.BigInteger)


class ModelCallPeriod(Base):
    """Calls of a model in one bucket in one minute or hour. The period begins at `start` and lasts `seconds`.

    `amount_nano`: the price of these calls.
    """

    __tablename__ = "model_call_period"
    __table_args__ = (sa.Index("ix_model_call_period_start", "seconds", "start"),)

    model_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    seconds: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    start: Mapped[datetime] = mapped_column(primary_key=True)
    bucket: Mapped[int] = mapped_column(sa.SmallInteger, primary_key=True, autoincrement=False)
    calls: Mapped[int] = mapped_column(sa.BigInteger)
    amount_nano: Mapped[int] = mapped_column(sa.BigInteger)
