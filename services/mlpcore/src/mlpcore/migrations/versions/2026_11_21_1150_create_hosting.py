"""Resource groups, servers, instances with their connections, events and logs, statistics log."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    _create_gate_members()
    _create_hosting_request()
    _create_instance()
    _create_resource_group()
    _create_stat_log()
    _create_instance_connection()
    _create_instance_event()
    _create_instance_log()
    _create_server()
    _add_default_group()


def downgrade() -> None:
    for table in (
        "server",
        "instance_log",
        "instance_event",
        "instance_connection",
        "stat_log",
        "resource_group",
        "instance",
        "hosting_request",
        "gate_members",
    ):
        op.drop_table(table)


def _create_gate_members() -> None:
    op.create_table(
        "gate_members",
        sa.Column("id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("members", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gate_members")),
    )


def _create_hosting_request() -> None:
    op.create_table(
        "hosting_request",
        sa.Column("model_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("requested", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("model_id", name=op.f("pk_hosting_request")),
    )


def _create_instance() -> None:
    op.create_table(
        "instance",
        sa.Column("instance_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("model_id", sa.BigInteger(), nullable=False),
        sa.Column("hosting", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("generation", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("derived", sa.Boolean(), nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("token_sealed", sa.LargeBinary(), nullable=False),
        sa.Column("server_id", sa.BigInteger(), nullable=True),
        sa.Column("http_host", sa.Text(), nullable=True),
        sa.Column("http_port", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("state_changed_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("start_requested_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("error_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("waiting_reason", sa.Text(), nullable=True),
        sa.Column("force_stop", sa.Boolean(), nullable=False),
        sa.Column("restart_count", sa.BigInteger(), nullable=False),
        sa.Column("last_restart_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("hostname", sa.Text(), nullable=True),
        sa.Column("sdk_version", sa.BigInteger(), nullable=True),
        sa.Column("built_in_image_name", sa.Text(), nullable=True),
        sa.Column("phase", sa.Text(), nullable=True),
        sa.Column("run_started_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("run_finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("exit_code", sa.BigInteger(), nullable=True),
        sa.Column("exit_reason", sa.Text(), nullable=True),
        sa.Column("exit_message", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("instance_id", name=op.f("pk_instance")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_instance_token_hash")),
    )
    op.create_index(
        "ix_instance_live", "instance", ["account_id"], unique=False, postgresql_where=sa.text("state <> 'DELETED'")
    )
    op.create_index("ix_instance_model", "instance", ["model_id", "instance_id"], unique=False)
    op.create_index(
        "ix_instance_server", "instance", ["server_id"], unique=False, postgresql_where=sa.text("state <> 'DELETED'")
    )
    op.create_index(
        "ix_instance_started",
        "instance",
        ["model_id", "started_at"],
        unique=False,
        postgresql_where=sa.text("started_at IS NOT NULL"),
    )


def _create_resource_group() -> None:
    op.create_table(
        "resource_group",
        sa.Column("group_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("is_default", sa.Boolean(), nullable=False),
        sa.Column("access", sa.Text(), nullable=False),
        sa.Column("resource_group_type", sa.Text(), nullable=False),
        sa.Column("enabled_eviction", sa.Boolean(), nullable=False),
        sa.Column("enabled_auto_scaling", sa.Boolean(), nullable=False),
        sa.Column(
            "auto_scaling_configuration", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True
        ),
        sa.Column("extras", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("group_id", name=op.f("pk_resource_group")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_resource_group_account_id_name")),
    )
    op.create_index(
        "ix_resource_group_public",
        "resource_group",
        ["name"],
        unique=False,
        postgresql_where=sa.text("access = 'PUBLIC'"),
    )


def _create_stat_log() -> None:
    op.create_table(
        "stat_log",
        sa.Column("record_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("node", sa.Text(), nullable=True),
        sa.Column("image_id", sa.BigInteger(), nullable=True),
        sa.Column("model_id", sa.BigInteger(), nullable=True),
        sa.Column("job_id", sa.BigInteger(), nullable=True),
        sa.Column("resource_group", sa.Text(), nullable=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("args", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("record_id", name=op.f("pk_stat_log")),
    )
    op.create_index("ix_stat_log_model", "stat_log", ["account_id", "model_id", "record_id"], unique=False)


def _create_instance_connection() -> None:
    op.create_table(
        "instance_connection",
        sa.Column("instance_id", sa.BigInteger(), nullable=False),
        sa.Column("gate", sa.Text(), nullable=False),
        sa.Column("stream_id", sa.UUID(), nullable=False),
        sa.Column("connected", sa.Boolean(), nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["instance_id"],
            ["instance.instance_id"],
            name=op.f("fk_instance_connection_instance_id_instance"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("instance_id", "gate", name=op.f("pk_instance_connection")),
    )


def _create_instance_event() -> None:
    op.create_table(
        "instance_event",
        sa.Column("event_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("instance_id", sa.BigInteger(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("host", sa.Text(), nullable=True),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("first_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["instance_id"],
            ["instance.instance_id"],
            name=op.f("fk_instance_event_instance_id_instance"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_instance_event")),
    )
    op.create_index("ix_instance_event_instance", "instance_event", ["instance_id", "event_id"], unique=False)


def _create_instance_log() -> None:
    op.create_table(
        "instance_log",
        sa.Column("instance_id", sa.BigInteger(), nullable=False),
        sa.Column("generation", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("restart_count", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("end_offset", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["instance_id"],
            ["instance.instance_id"],
            name=op.f("fk_instance_log_instance_id_instance"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("instance_id", "generation", "restart_count", name=op.f("pk_instance_log")),
    )


def _create_server() -> None:
    op.create_table(
        "server",
        sa.Column("server_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("group_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("raw_configuration", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("max_instances", sa.BigInteger(), nullable=True),
        sa.Column("tariffication_price", sa.Numeric(precision=20, scale=9), nullable=False),
        sa.Column("tariffication_period", sa.Text(), nullable=True),
        sa.Column("extras", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("enrolment_hash", sa.Text(), nullable=True),
        sa.Column("enrolment_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("secret_hash", sa.Text(), nullable=True),
        sa.Column("enrolled_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_heartbeat_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("agent_version", sa.Text(), nullable=True),
        sa.Column("capacity", postgresql.JSONB(none_as_null=True, astext_type=sa.Text()), nullable=True),
        sa.ForeignKeyConstraint(
            ["group_id"],
            ["resource_group.group_id"],
            name=op.f("fk_server_group_id_resource_group"),
            ondelete="RESTRICT",
        ),
        sa.PrimaryKeyConstraint("server_id", name=op.f("pk_server")),
        sa.UniqueConstraint("enrolment_hash", name=op.f("uq_server_enrolment_hash")),
        sa.UniqueConstraint("group_id", "name", name=op.f("uq_server_group_id_name")),
    )


def _add_default_group() -> None:
    """Adds the public group of the platform's own account. Models that name no group run in it."""
    op.execute(
        """
        INSERT INTO resource_group (account_id, name, is_default, access, resource_group_type, enabled_eviction,
            enabled_auto_scaling, auto_scaling_configuration, extras, created_at)
        VALUES (1, 'default', true, 'PUBLIC', 'HOSTING_SERVER', false, false, NULL, '{}', now())
        """
    )
