from datetime import datetime
from enum import StrEnum

from sqlalchemy import ARRAY, BigInteger, Identity, Index, String, text
from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class InvitationStatus(StrEnum):
    """PENDING changes once, to one of the others."""

    PENDING = "PENDING"
    ACCEPTED = "ACCEPTED"
    DECLINED = "DECLINED"
    WITHDRAWN = "WITHDRAWN"


class Invitation(Base):
    """Addressed to a login, so that it can wait for a person who has not signed up yet."""

    __tablename__ = "account_invitations"
    __table_args__ = (
        Index(
            "uq_account_invitations_pending",
            "account_id",
            "email",
            unique=True,
            postgresql_where=text("status = 'PENDING'"),
        ),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    account_id: Mapped[int]
    email: Mapped[str] = mapped_column(index=True)
    roles: Mapped[list[str]] = mapped_column(ARRAY(String))
    status: Mapped[str]
    created_at: Mapped[datetime]
    created_by: Mapped[int | None]
    closed_at: Mapped[datetime | None]
