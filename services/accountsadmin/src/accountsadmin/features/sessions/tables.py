from datetime import datetime

from sqlalchemy import BigInteger, Identity
from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class SessionRow(Base):
    """`token_hash` is the keyed hash of the id in the cookie; the id itself is not stored."""

    __tablename__ = "sessions"

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    token_hash: Mapped[str] = mapped_column(unique=True)
    user_id: Mapped[int] = mapped_column(index=True)
    created_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    revoked_at: Mapped[datetime | None]
    address: Mapped[str]
    user_agent: Mapped[str]
