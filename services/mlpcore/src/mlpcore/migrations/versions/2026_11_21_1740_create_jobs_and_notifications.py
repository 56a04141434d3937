"""Tasks, notifications, usage events, requests to the team, licence. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"

_ACTIVE = sa.text("status IN ('IDLE', 'RUN', 'REVERTING')")


def upgrade() -> None:
    _create_account_standing()
    _create_click()
    _create_job()
    _create_license_excess()
    _create_notification()
    _create_platform_administrator()
    _create_team_request()
    _create_job_read()
    _create_notification_read()
    op.add_column("hosting_request", sa.Column("surge", sa.BigInteger(), server_default="0", nullable=False))
    op.add_column("server", sa.Column("unavailable_since", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("server", "unavailable_since")
    op.drop_column("hosting_request", "surge")
    for table in (
        "notification_read",
        "job_read",
        "team_request",
        "platform_administrator",
        "notification",
        "license_excess",
        "job",
        "click",
        "account_standing",
    ):
        op.drop_table(table)


def _create_account_standing() -> None:
    op.create_table(
        "account_standing",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("blocked", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "currency", name=op.f("pk_account_standing")),
    )


def _create_click() -> None:
    op.create_table(
        "click",
        sa.Column("click_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("visitor_id", sa.Text(), nullable=True),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("account_id", sa.BigInteger(), nullable=True),
        sa.Column("event_type", sa.Text(), nullable=False),
        sa.Column("page_url", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("element_id", sa.BigInteger(), nullable=True),
        sa.Column("entity_type", sa.Text(), nullable=True),
        sa.Column("entity_id", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("address_hash", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("click_id", name=op.f("pk_click")),
    )
    op.create_index("ix_click_account", "click", ["account_id", "created_at"])
    op.create_index("ix_click_address", "click", ["address_hash", "received_at"])
    op.create_index("ix_click_entity", "click", ["entity_type", "entity_id", "created_at"])
    op.create_index("ix_click_received_at", "click", ["received_at"])


def _create_job() -> None:
    op.create_table(
        "job",
        sa.Column("job_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("operation", sa.Text(), nullable=False),
        sa.Column("parent_id", sa.BigInteger(), nullable=True),
        sa.Column("root_id", sa.BigInteger(), nullable=True),
        sa.Column("depth", sa.BigInteger(), nullable=False),
        sa.Column("entity", postgresql.JSONB(), nullable=False),
        sa.Column("entity_display_name", sa.Text(), nullable=False),
        sa.Column("model_id", sa.BigInteger(), nullable=True),
        sa.Column("instance_id", sa.BigInteger(), nullable=True),
        sa.Column("group_owner_id", sa.BigInteger(), nullable=True),
        sa.Column("group_name", sa.Text(), nullable=True),
        sa.Column("server_id", sa.BigInteger(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("step", sa.BigInteger(), nullable=False),
        sa.Column("step_name", sa.Text(), nullable=False),
        sa.Column("percentage", sa.BigInteger(), nullable=False),
        sa.Column("interrupted", sa.Boolean(), nullable=False),
        sa.Column("interruptible", sa.Boolean(), nullable=False),
        sa.Column("error_code", sa.Text(), nullable=True),
        sa.Column("error_message", sa.Text(), nullable=True),
        sa.Column("wait_for", postgresql.ARRAY(sa.BigInteger()), nullable=False),
        sa.Column("slot", sa.Text(), nullable=True),
        sa.Column("data", postgresql.JSONB(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("lock_token", sa.UUID(), nullable=True),
        sa.Column("locked_until", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("job_id", name=op.f("pk_job")),
    )
    op.create_index("ix_job_account", "job", ["account_id", "job_id"])
    op.create_index("ix_job_due", "job", ["due_at"], postgresql_where=_ACTIVE)
    op.create_index("ix_job_ended_at", "job", ["ended_at"])
    op.create_index("ix_job_model", "job", ["model_id", "job_id"])
    op.create_index("ix_job_parent_id", "job", ["parent_id"])
    op.create_index("ix_job_root_id", "job", ["root_id"])
    op.create_index("ix_job_roots", "job", ["account_id", "job_id"], postgresql_where=sa.text("parent_id IS NULL"))
    op.create_index("ix_job_wait_for", "job", ["wait_for"], postgresql_using="gin", postgresql_where=_ACTIVE)
    op.create_index("uq_job_slot", "job", ["slot"], unique=True, postgresql_where=_ACTIVE)


def _create_license_excess() -> None:
    op.create_table(
        "license_excess",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_license_excess")),
    )


def _create_notification() -> None:
    op.create_table(
        "notification",
        sa.Column("notification_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("text_message", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("operation_type", sa.Text(), nullable=True),
        sa.Column("entity", postgresql.JSONB(none_as_null=True), nullable=True),
        sa.Column("entity_display_name", sa.Text(), nullable=True),
        sa.Column("expiration_date", sa.DateTime(timezone=True), nullable=True),
        sa.Column("not_before_date", sa.DateTime(timezone=True), nullable=True),
        sa.Column("occasion", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("notification_id", name=op.f("pk_notification")),
        sa.UniqueConstraint("account_id", "occasion", name=op.f("uq_notification_account_id_occasion")),
    )
    op.create_index("ix_notification_account", "notification", ["account_id", "notification_id"])
    op.create_index("ix_notification_created_at", "notification", ["created_at"])


def _create_platform_administrator() -> None:
    op.create_table(
        "platform_administrator",
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("administrator", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_platform_administrator")),
    )


def _create_team_request() -> None:
    op.create_table(
        "team_request",
        sa.Column("request_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=True),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("login", sa.Text(), nullable=True),
        sa.Column("contacts", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("address_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("mail_state", sa.Text(), nullable=False),
        sa.Column("mail_attempts", sa.BigInteger(), nullable=False),
        sa.Column("mail_due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("mail_error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("request_id", name=op.f("pk_team_request")),
    )
    op.create_index("ix_team_request_address", "team_request", ["address_hash", "created_at"])
    op.create_index(
        "ix_team_request_mail", "team_request", ["mail_due_at"], postgresql_where=sa.text("mail_state = 'WAITING'")
    )


def _create_job_read() -> None:
    op.create_table(
        "job_read",
        sa.Column("job_id", sa.BigInteger(), nullable=False),
        sa.Column("reader", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["job_id"], ["job.job_id"], name=op.f("fk_job_read_job_id_job"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("job_id", "reader", name=op.f("pk_job_read")),
    )


def _create_notification_read() -> None:
    op.create_table(
        "notification_read",
        sa.Column("notification_id", sa.BigInteger(), nullable=False),
        sa.Column("reader", sa.Text(), nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["notification_id"],
            ["notification.notification_id"],
            name=op.f("fk_notification_read_notification_id_notification"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("notification_id", "reader", name=op.f("pk_notification_read")),
    )
