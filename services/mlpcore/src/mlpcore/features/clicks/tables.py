from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class Click(Base):
    """One usage event. `account_id` is an account of the visitor; `address_hash` is a keyed hash of the address."""

    __tablename__ = "click"
    __table_args__ = (
        sa.Index("ix_click_account", "account_id", "created_at"),
        sa.Index("ix_click_entity", "entity_type", "entity_id", "created_at"),
        sa.Index("ix_click_address", "address_hash", "received_at"),
        sa.Index("ix_click_received_at", "received_at"),
    )

    click_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    visitor_id: Mapped[str | None] = mapped_column(sa.Text)
    user_id: Mapped[int | None]
    account_id: Mapped[int | None]
    event_type: Mapped[str] = mapped_column(sa.Text)
    page_url: Mapped[str] = mapped_column(sa.Text)
    description: Mapped[str | None] = mapped_column(sa.Text)
    element_id: Mapped[int | None]
    entity_type: Mapped[str | None] = mapped_column(sa.Text)
    entity_id: Mapped[int | None]
    created_at: Mapped[datetime]
    received_at: Mapped[datetime]
    address_hash: Mapped[str] = mapped_column(sa.Text)
