from datetime import datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class ResourceGroup(Base):
    """A set of servers on which models run. An account has at most one default group.

    `reserve_group_id`: the group that `auto_scaling_configuration` names. `extras`: the contract's other fields in the
    wire's shape; a trigger copies `cost_price` to `currency` there for processes of the previous release.
    """

    __tablename__ = "resource_group"
    __table_args__ = (
        sa.UniqueConstraint("account_id", "name"),
        sa.Index("uq_resource_group_default", "account_id", unique=True, postgresql_where=sa.text("is_default")),
        sa.Index("ix_resource_group_public", "name", postgresql_where=sa.text("access = 'PUBLIC'")),
    )

    group_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    name: Mapped[str] = mapped_column(sa.Text)
    is_default: Mapped[bool]
    access: Mapped[str] = mapped_column(sa.Text)
    resource_group_type: Mapped[str] = mapped_column(sa.Text)
    enabled_eviction: Mapped[bool]
    enabled_auto_scaling: Mapped[bool]
    auto_scaling_configuration: Mapped[dict[str, Any] | None] = mapped_column(postgresql.JSONB(none_as_null=True))
    reserve_group_id: Mapped[int | None] = mapped_column(sa.ForeignKey("resource_group.group_id", ondelete="RESTRICT"))
    cost_price: Mapped[Decimal | None] = mapped_column(sa.Numeric(20, 9))
    price: Mapped[Decimal | None] = mapped_column(sa.Numeric(20, 9))
    payback: Mapped[Decimal | None] = mapped_column(sa.Numeric(20, 9))
    tariffication_period: Mapped[str | None] = mapped_column(sa.Text)
    currency: Mapped[str | None] = mapped_column(sa.Text)
    extras: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB)
    created_at: Mapped[datetime]
