from datetime import datetime

from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class MailToken(Base):
    """What a mail's link carries. `token_hash` is its keyed hash; the token itself is stored nowhere."""

    __tablename__ = "mail_tokens"

    token_hash: Mapped[str] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(index=True)
    purpose: Mapped[str]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
