from datetime import datetime

from sqlalchemy import BigInteger, Identity, Index
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from accountsadmin.tables import Base


class AuditEvent(Base):
    """Append-only: the service's database role may neither change nor delete a row."""

    __tablename__ = "audit_events"
    __table_args__ = (
        Index("ix_audit_events_user", "user_id", "id"),
        Index("ix_audit_events_account", "account_id", "id"),
    )

    id: Mapped[int] = mapped_column(BigInteger, Identity(), primary_key=True)
    occurred_at: Mapped[datetime]
    kind: Mapped[str]
    actor_user_id: Mapped[int | None]
    user_id: Mapped[int | None]
    account_id: Mapped[int | None]
    login: Mapped[str | None]
    address: Mapped[str]
    user_agent: Mapped[str]
    details: Mapped[dict[str, str]] = mapped_column(JSONB)
