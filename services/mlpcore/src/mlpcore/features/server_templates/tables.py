from datetime import datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ServerTemplate(Base):
    """An account's named configuration for servers of resource groups of one type.

    `capacity`: what such a server has, as {cpu, memory, disk, gpu_models} in the texts that were sent; None if nobody
    has said. `labels`, `max_instances`: those of the configuration. `internal_name`, `username`: notes of the owner
    for the owner. `public_price`: what other accounts pay for such a server; only a template of the platform's account
    has one, and with it the template is public.
    """

    __tablename__ = "server_template"
    __table_args__ = (
        sa.UniqueConstraint("account_id", "name"),
        sa.Index("ix_server_template_public", "account_id", postgresql_where=sa.text("public_price IS NOT NULL")),
    )

    template_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
    type: Mapped[str] = mapped_column(sa.Text)
    description: Mapped[str] = mapped_column(sa.Text)
    raw_configuration: Mapped[str] = mapped_column(sa.Text)
    labels: Mapped[dict[str, str]] = mapped_column(postgresql.JSONB)
    max_instances: Mapped[int | None]
    internal_name: Mapped[str | None] = mapped_column(sa.Text)
    username: Mapped[str | None] = mapped_column(sa.Text)
    capacity: Mapped[dict[str, Any] | None] = mapped_column(postgresql.JSONB(none_as_null=True))
    tariffication_price: Mapped[Decimal] = mapped_column(sa.Numeric(20, 9))
    tariffication_period: Mapped[str | None] = mapped_column(sa.Text)
    cost_price: Mapped[Decimal | None] = mapped_column(sa.Numeric(20, 9))
    public_price: Mapped[Decimal | None] = mapped_column(sa.Numeric(20, 9))
    public_price_period: Mapped[str | None] = mapped_column(sa.Text)
    currency: Mapped[str | None] = mapped_column(sa.Text)
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]
