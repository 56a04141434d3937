from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class TeamRequest(Base):
    """`mail_state`: OFF when no mail is configured; WAITING until it is sent; SENT; FAILED after the last attempt."""

    __tablename__ = "team_request"
    __table_args__ = (
        sa.Index("ix_team_request_address", "address_hash", "created_at"),
        sa.Index("ix_team_request_mail", "mail_due_at", postgresql_where=sa.text("mail_state = 'WAITING'")),
    )

    request_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    kind: Mapped[str] = mapped_column(sa.Text)
    account_id: Mapped[int | None]
    user_id: Mapped[int | None]
    login: Mapped[str | None] = mapped_column(sa.Text)
    contacts: Mapped[str] = mapped_column(sa.Text)
    comment: Mapped[str | None] = mapped_column(sa.Text)
    address_hash: Mapped[str] = mapped_column(sa.Text)
    created_at: Mapped[datetime]
    mail_state: Mapped[str] = mapped_column(sa.Text)
    mail_attempts: Mapped[int]
    mail_due_at: Mapped[datetime]
    mail_error: Mapped[str | None] = mapped_column(sa.Text)
    state: Mapped[str] = mapped_column(sa.Text, server_default=sa.text("'OPEN'"))
    answer: Mapped[str | None] = mapped_column(sa.Text)
    answered_by: Mapped[str | None] = mapped_column(sa.Text)
    answered_at: Mapped[datetime | None]
