"""Users, accounts, memberships, invitations, sessions, domains, attempts, audit log, account limits."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from mlplace_runtime.db.messaging import create_messaging_tables, drop_messaging_tables

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)
_TABLES = (
    "users",
    "sessions",
    "memberships",
    "domains",
    "audit_events",
    "attempts",
    "accounts",
    "account_limits",
    "account_invitations",
)


def upgrade() -> None:
    create_messaging_tables(op)
    op.create_table(
        "account_invitations",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("roles", sa.ARRAY(sa.String()), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("created_by", sa.BigInteger(), nullable=True),
        sa.Column("closed_at", _MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_invitations")),
    )
    op.create_index(op.f("ix_account_invitations_email"), "account_invitations", ["email"])
    op.create_index(
        "uq_account_invitations_pending",
        "account_invitations",
        ["account_id", "email"],
        unique=True,
        postgresql_where=sa.text("status = 'PENDING'"),
    )
    op.create_table(
        "account_limits",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("features", sa.ARRAY(sa.String()), nullable=False),
        sa.Column("predict_per_sec", sa.BigInteger(), nullable=False),
        sa.Column("fit_per_minute", sa.BigInteger(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_account_limits")),
    )
    op.create_table(
        "accounts",
        sa.Column("id", sa.BigInteger(), sa.Identity(start=1_000_000_001), nullable=False),
        sa.Column("short_name", sa.String(), nullable=False),
        sa.Column("display_name", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("owner_user_id", sa.BigInteger(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("short_name", name=op.f("uq_accounts_short_name")),
    )
    op.create_table(
        "attempts",
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("attempts", sa.BigInteger(), nullable=False),
        sa.Column("window_ends_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_attempts")),
    )
    op.create_index(op.f("ix_attempts_window_ends_at"), "attempts", ["window_ends_at"])
    op.create_table(
        "audit_events",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("occurred_at", _MOMENT, nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("actor_user_id", sa.BigInteger(), nullable=True),
        sa.Column("user_id", sa.BigInteger(), nullable=True),
        sa.Column("account_id", sa.BigInteger(), nullable=True),
        sa.Column("login", sa.String(), nullable=True),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("user_agent", sa.String(), nullable=False),
        sa.Column("details", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit_events")),
    )
    op.create_index("ix_audit_events_account", "audit_events", ["account_id", "id"])
    op.create_index("ix_audit_events_user", "audit_events", ["user_id", "id"])
    op.create_table(
        "domains",
        sa.Column("domain", sa.String(), nullable=False),
        sa.Column("product", sa.String(), nullable=False),
        sa.Column("internal_user_ui_available", sa.Boolean(), nullable=False),
        sa.Column("owner_only", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("domain", name=op.f("pk_domains")),
    )
    op.create_table(
        "memberships",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("roles", sa.ARRAY(sa.String()), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "user_id", name=op.f("pk_memberships")),
    )
    op.create_index(op.f("ix_memberships_user_id"), "memberships", ["user_id"])
    op.create_table(
        "sessions",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.BigInteger(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("last_seen_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.Column("revoked_at", _MOMENT, nullable=True),
        sa.Column("address", sa.String(), nullable=False),
        sa.Column("user_agent", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sessions")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_sessions_token_hash")),
    )
    op.create_index(op.f("ix_sessions_expires_at"), "sessions", ["expires_at"])
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"])
    op.create_table(
        "users",
        sa.Column("id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("login", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("permissions", sa.ARRAY(sa.String()), nullable=False),
        sa.Column("internal", sa.Boolean(), nullable=False),
        sa.Column("active", sa.Boolean(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.CheckConstraint("login = lower(login)", name=op.f("ck_users_login_lower")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("login", name=op.f("uq_users_login")),
    )
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON audit_events FROM accountsadmin")


def downgrade() -> None:
    for table in _TABLES:
        op.drop_table(table)
    drop_messaging_tables(op)
