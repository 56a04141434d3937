import uuid
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.features.instances.placements import External, OnServer, Placement, Unplaced
from mlpcore.features.instances.states import Hosting
from mlpcore.tables import Base
from mlplace_contracts.enums import InstancePurpose

_LIVE = sa.text("state <> 'DELETED'")


class Instance(Base):
    """One running copy of a model. The row stays after the instance is deleted.

    `generation` rises with each start that the platform orders; reports about older generations are ignored. `version`
    rises with each InstanceChanged. `phase` to `exit_message`: the last report of the server's agent. `http_trusted`:
    a server of the platform's own account reported the address. `waiting_reason`: why an IDLE instance has no server;
    `waiting_details`: the numbers behind it, in the shape of `WaitingDetailsData`. `placement` reads `hosting` and
    `server_id`. `purpose`: an InstancePurpose, which never changes.
    """

    __tablename__ = "instance"
    __table_args__ = (
        sa.UniqueConstraint("token_hash"),
        sa.Index("ix_instance_model", "model_id", "instance_id"),
        sa.Index("ix_instance_live", "account_id", postgresql_where=_LIVE),
        sa.Index("ix_instance_server", "server_id", postgresql_where=_LIVE),
        sa.Index("ix_instance_started", "model_id", "started_at", postgresql_where=sa.text("started_at IS NOT NULL")),
    )

    instance_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    model_id: Mapped[int]
    hosting: Mapped[str] = mapped_column(sa.Text)
    purpose: Mapped[str] = mapped_column(sa.Text, server_default=InstancePurpose.SERVE.value)
    state: Mapped[str] = mapped_column(sa.Text)
    generation: Mapped[int]
    version: Mapped[int]
    derived: Mapped[bool]
    token_hash: Mapped[str] = mapped_column(sa.Text)
    token_sealed: Mapped[bytes]
    server_id: Mapped[int | None]
    http_host: Mapped[str | None] = mapped_column(sa.Text)
    http_port: Mapped[int | None]
    http_trusted: Mapped[bool] = mapped_column(server_default=sa.false())
    created_at: Mapped[datetime]
    state_changed_at: Mapped[datetime]
    start_requested_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    error_at: Mapped[datetime | None]
    waiting_reason: Mapped[str | None] = mapped_column(sa.Text)
    waiting_details: Mapped[dict[str, Any] | None] = mapped_column(postgresql.JSONB(none_as_null=True))
    force_stop: Mapped[bool]
    restart_count: Mapped[int]
    last_restart_at: Mapped[datetime | None]
    last_seen_at: Mapped[datetime | None]
    hostname: Mapped[str | None] = mapped_column(sa.Text)
    sdk_version: Mapped[int | None]
    built_in_image_name: Mapped[str | None] = mapped_column(sa.Text)
    phase: Mapped[str | None] = mapped_column(sa.Text)
    run_started_at: Mapped[datetime | None]
    run_finished_at: Mapped[datetime | None]
    exit_code: Mapped[int | None]
    exit_reason: Mapped[str | None] = mapped_column(sa.Text)
    exit_message: Mapped[str | None] = mapped_column(sa.Text)

    @property
    def is_managed(self) -> bool:
        """Whether the platform chooses the place, and so starts and ends the instance."""
        return self.hosting != Hosting.EXTERNAL

    @property
    def is_scaled(self) -> bool:
        """Whether the requested number of instances counts it: the platform places it, and it answers calls."""
        return self.is_managed and self.purpose == InstancePurpose.SERVE

    @property
    def placement(self) -> Placement:
        if not self.is_managed:
            return External()
        return Unplaced() if self.server_id is None else OnServer(self.server_id)


class InstanceConnection(Base):
    """The newest stream of an instance to one gate. An ended stream keeps its row: a late event must not revive it."""

    __tablename__ = "instance_connection"

    instance_id: Mapped[int] = mapped_column(
        sa.ForeignKey("instance.instance_id", ondelete="CASCADE"), primary_key=True
    )
    gate: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    stream_id: Mapped[uuid.UUID] = mapped_column(postgresql.UUID(as_uuid=True))
    connected: Mapped[bool]
    occurred_at: Mapped[datetime]


class InstanceEvent(Base):
    """A change of an instance, to show to people. Consecutive equal events share a row that counts them."""

    __tablename__ = "instance_event"
    __table_args__ = (sa.Index("ix_instance_event_instance", "instance_id", "event_id"),)

    event_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    instance_id: Mapped[int] = mapped_column(sa.ForeignKey("instance.instance_id", ondelete="CASCADE"))
    type: Mapped[str] = mapped_column(sa.Text)
    reason: Mapped[str] = mapped_column(sa.Text)
    message: Mapped[str] = mapped_column(sa.Text)
    host: Mapped[str | None] = mapped_column(sa.Text)
    count: Mapped[int]
    first_seen_at: Mapped[datetime]
    last_seen_at: Mapped[datetime]


class InstanceLog(Base):
    """The newest output of one run. `end_offset`: bytes of output since the run began. `stored_length`: characters that
    were ever stored of it, without what was lost; `text` holds the last ones.
    """

    __tablename__ = "instance_log"

    instance_id: Mapped[int] = mapped_column(
        sa.ForeignKey("instance.instance_id", ondelete="CASCADE"), primary_key=True
    )
    generation: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    restart_count: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    text: Mapped[str] = mapped_column(sa.Text)
    end_offset: Mapped[int]
    stored_length: Mapped[int] = mapped_column(server_default="0")


class HostingRequest(Base):
    """The desired number of instances of a model on hosting servers.

    `surge`: additional instances while old ones are replaced. `changed_at`: when `requested` was last changed; null:
    before this column existed.
    """

    __tablename__ = "hosting_request"

    model_id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    account_id: Mapped[int]
    requested: Mapped[int]
    surge: Mapped[int] = mapped_column(server_default="0")
    changed_at: Mapped[datetime | None]

    def set_requested(self, count: int, now: datetime) -> None:
        if count != self.requested:
            self.requested, self.changed_at = count, now


class GateMembers(Base):
    """Read model of GateMembersChanged: one row, `id` 1."""

    __tablename__ = "gate_members"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    members: Mapped[list[str]] = mapped_column(postgresql.ARRAY(sa.Text))
    occurred_at: Mapped[datetime]
