from sqlalchemy import ARRAY, BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class AccountLimits(Base):
    """Read model of an account's limits from mlpcore; a lower version never overwrites a higher one."""

    __tablename__ = "account_limits"

    account_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    features: Mapped[list[str]] = mapped_column(ARRAY(String))
    predict_per_sec: Mapped[int]
    fit_per_minute: Mapped[int]
    version: Mapped[int]
