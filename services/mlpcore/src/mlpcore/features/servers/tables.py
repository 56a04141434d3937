from datetime import datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base


class Server(Base):
    """A machine of a resource group. The agent's secret and enrolment token are stored as keyed hashes only.

    `milli_cpu`, `ram_mb` and `disk_mb`: what the agent last reported that instances may have; None before its first
    report. `gpus`: its GPUs as {gpu_id, model, vram_mb}. `used`: what was in use at the last report: milli_cpu, ram_mb,
    disk_mb, gpus. `capacity`: the report for processes of the previous release. `labels`: those of the configuration.
    `runs_containers`: whether it runs images in containers; `programs`: addresses of images that it runs as programs.
    `draining_since`: when its instances began to move to other servers; it gets no more. If `expires_at` is None then,
    somebody asked for its end; else its lifetime ends. `stopped_at`: when the last instance had left a server whose
    lifetime ends. `unavailable_since`: when its
    account was notified that the server had stopped reporting; None while it reports. For processes of the previous
    release, a trigger copies `cost_price` into `extras`. `logged`: the capacity of the newest entry in the log of the
    group's capacity, as {milli_cpu, ram_mb, disk_mb, gpus}; None before the first. `logged_at`: when that
    entry was written.
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
    milli_cpu: Mapped[int | None]
    ram_mb: Mapped[int | None]
    disk_mb: Mapped[int | None]
    gpus: Mapped[list[dict[str, Any]]] = mapped_column(postgresql.JSONB, server_default=sa.text("'[]'"))
    used: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB, server_default=sa.text("'{}'"))
    labels: Mapped[dict[str, str]] = mapped_column(postgresql.JSONB, server_default=sa.text("'{}'"))
    runs_containers: Mapped[bool] = mapped_column(server_default=sa.true())
    programs: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text), server_default="{}")
    draining_since: Mapped[datetime | None]
    stopped_at: Mapped[datetime | None]
    logged: Mapped[dict[str, Any] | None] = mapped_column(postgresql.JSONB(none_as_null=True))
    logged_at: Mapped[datetime | None]
