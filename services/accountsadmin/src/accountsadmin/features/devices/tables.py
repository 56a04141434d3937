from datetime import datetime

from sqlalchemy import BigInteger, Identity, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class KnownDevice(Base):
    """A browser in which a user has signed in. `token_hash` is the keyed hash of its cookie; its users share it."""

    __tablename__ = "known_devices"
    __table_args__ = (UniqueConstraint("token_hash", "user_id"),)

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    token_hash: Mapped[str]
    user_id: Mapped[int] = mapped_column(index=True)
    last_seen_at: Mapped[datetime] = mapped_column(index=True)
