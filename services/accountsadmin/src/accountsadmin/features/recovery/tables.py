from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class MailToken(Base):
    """A token in a mailed link. Only its keyed hash `token_hash` is stored."""

    __tablename__ = "mail_tokens"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(index=True)
    purpose: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
