from datetime import datetime

from sqlalchemy import BigInteger, Identity
from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base

FIRST_ACCOUNT_ID = 1_000_000_001  # ids have ten digits, as existing clients know them


class Account(Base):
    __tablename__ = "accounts"

    id: Mapped[int] = mapped_column(BigInteger, Identity(start=FIRST_ACCOUNT_ID), primary_key=True)
    short_name: Mapped[str] = mapped_column(unique=True)
    display_name: Mapped[str]
    email: Mapped[str]
    language: Mapped[str]
    owner_user_id: Mapped[int]
    active: Mapped[bool]
    created_at: Mapped[datetime]
    version: Mapped[int]
