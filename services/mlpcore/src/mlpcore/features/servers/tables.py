from datetime import datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class Server(Base):
    """A machine of a resource group. The agent's secret and enrolment token are stored as keyed hashes only.

    `capacity`: the agent's last report: milli_cpu, ram_mb, disk_mb, gpu_models. `unavailable_since`: when its account
    was notified that the server had stopped reporting; None while it reports. For processes of the previous release,
    a trigger copies `cost_price` into `extras`.
    """

    __tablename__ = "server"
    __table_args__ = (sa.UniqueConstraint("group_id", "name"), sa.UniqueConstraint("enrolment_hash"))

    server_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    group_id: Mapped[int] = mapped_column(sa.ForeignKey("resource_group.group_id", ondelete="RESTRICT"))
    name: Mapped[str] = mapped_column(sa.Text)
    raw_configuration: Mapped[str] = mapped_column(sa.Text)
    description: Mapped[str | None] = mapped_column(sa.Text)
    max_instances: Mapped[int | None]
    tariffication_price: Mapped[Any] = mapped_column(sa.Numeric(20, 9))
    tariffication_period: Mapped[str | None] = mapped_column(sa.Text)
    cost_price: Mapped[Decimal | None] = mapped_column(sa.Numeric(20, 9))
    extras: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB)
    expires_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    enrolment_hash: Mapped[str | None] = mapped_column(sa.Text)
    enrolment_expires_at: Mapped[datetime | None]
    secret_hash: Mapped[str | None] = mapped_column(sa.Text)
    enrolled_at: Mapped[datetime | None]
    last_heartbeat_at: Mapped[datetime | None]
    unavailable_since: Mapped[datetime | None]
    agent_version: Mapped[str | None] = mapped_column(sa.Text)
    capacity: Mapped[dict[str, Any] | None] = mapped_column(postgresql.JSONB(none_as_null=True))
