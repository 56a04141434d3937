from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, String
from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class Membership(Base):
    """A user's roles in an account.

    A row without roles is an ended membership, kept so that its version keeps rising.
    """

    __tablename__ = "memberships"

    account_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    user_id: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False, index=True)
    roles: Mapped[list[str]] = mapped_column(ARRAY(String))
    created_at: Mapped[datetime]
    version: Mapped[int]
