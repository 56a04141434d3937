from datetime import datetime

from sqlalchemy import ARRAY, BigInteger, CheckConstraint, Identity, String
from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class User(Base):
    """A person. `login` is an e-mail address in its normal form, which is lower case."""

    __tablename__ = "users"
    __table_args__ = (CheckConstraint("login = lower(login)", name="login_lower"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    login: Mapped[str] = mapped_column(unique=True)
    password_hash: Mapped[str]
    permissions: Mapped[list[str]] = mapped_column(ARRAY(String))
    internal: Mapped[bool]
    active: Mapped[bool]
    language: Mapped[str]
    created_at: Mapped[datetime]
    email_confirmed_at: Mapped[datetime | None]
    version: Mapped[int]
