"""Tables of tasks: steps, progress, claims, and which callers have read them."""

import uuid
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base

_ACTIVE = sa.text("status IN ('IDLE', 'RUN', 'REVERTING')")


class Task(Base):
    """`kind` names the steps in `registry.TASKS`. `step_key`: the current one, NULL before the first. `data`: of steps.

    `step` is the step's number, for processes of the previous release; a trigger keeps it in line with `step_key`, so
    nothing here writes it. `step_name` is shown to people. `slot`: at most one unfinished task has it. `lock_token`:
    the claim of a process until `locked_until`. `attempts` counts unexpected errors of the current step.
    """

    __tablename__ = "job"
    __table_args__ = (
        sa.Index("ix_job_due", "due_at", postgresql_where=_ACTIVE),
        sa.Index("uq_job_slot", "slot", unique=True, postgresql_where=_ACTIVE),
        sa.Index("ix_job_roots", "account_id", "job_id", postgresql_where=sa.text("parent_id IS NULL")),
        sa.Index("ix_job_account", "account_id", "job_id"),
        sa.Index("ix_job_root_id", "root_id"),
        sa.Index("ix_job_parent_id", "parent_id"),
        sa.Index("ix_job_model", "model_id", "job_id"),
        sa.Index("ix_job_wait_for", "wait_for", postgresql_using="gin", postgresql_where=_ACTIVE),
        sa.Index("ix_job_ended_at", "ended_at"),
    )

    task_id: Mapped[int] = mapped_column("job_id", sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    kind: Mapped[str] = mapped_column(sa.Text)
    operation: Mapped[str] = mapped_column(sa.Text)
    parent_id: Mapped[int | None]
    root_id: Mapped[int | None]
    depth: Mapped[int]
    entity: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB)
    entity_display_name: Mapped[str] = mapped_column(sa.Text)
    model_id: Mapped[int | None]
    instance_id: Mapped[int | None]
    group_owner_id: Mapped[int | None]
    group_name: Mapped[str | None] = mapped_column(sa.Text)
    server_id: Mapped[int | None]
    status: Mapped[str] = mapped_column(sa.Text)
    step: Mapped[int]
    step_key: Mapped[str | None] = mapped_column(sa.Text)
    step_name: Mapped[str] = mapped_column(sa.Text)
    percentage: Mapped[int]
    interrupted: Mapped[bool]
    interruptible: Mapped[bool]
    error_code: Mapped[str | None] = mapped_column(sa.Text)
    error_message: Mapped[str | None] = mapped_column(sa.Text)
    error_args: Mapped[dict[str, str] | None] = mapped_column(postgresql.JSONB)
    wait_for: Mapped[list[int]] = mapped_column(postgresql.ARRAY(sa.BigInteger))
    slot: Mapped[str | None] = mapped_column(sa.Text)
    data: Mapped[dict[str, Any]] = mapped_column(postgresql.JSONB)
    created_at: Mapped[datetime]
    started_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]
    due_at: Mapped[datetime]
    attempts: Mapped[int]
    lock_token: Mapped[uuid.UUID | None] = mapped_column(postgresql.UUID(as_uuid=True))
    locked_until: Mapped[datetime | None]


class TaskRead(Base):
    """The status in which a caller last saw the task. When the status changes, the task is unread again."""

    __tablename__ = "job_read"

    task_id: Mapped[int] = mapped_column("job_id", sa.ForeignKey("job.job_id", ondelete="CASCADE"), primary_key=True)
    reader: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    status: Mapped[str] = mapped_column(sa.Text)
