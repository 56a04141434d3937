"""Refills, and the names of accounts and models"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    _create_refill()
    _create_directory()


def _create_refill() -> None:
    op.create_table(
        "refill",
        sa.Column("id", sa.BigInteger, sa.Identity()),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("amount_nano", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=True),
        sa.Column("comment", sa.Text, nullable=False),
        sa.Column("idempotency_key", sa.Text, nullable=False),
        sa.Column("transaction_id", postgresql.UUID(as_uuid=True), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_refill"),
        sa.UniqueConstraint("account_id", "idempotency_key", name="uq_refill_account_id_idempotency_key"),
    )
    op.create_index("ix_refill_history", "refill", ["account_id", "id"])
    op.create_index(
        "uq_refill_welcome_bonus",
        "refill",
        ["user_id"],
        unique=True,
        postgresql_where=sa.text("source = 'WELCOME_BONUS'"),
    )
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON refill FROM mlpbilling")


def _create_directory() -> None:
    op.create_table(
        "known_account",
        sa.Column("account_id", sa.BigInteger, autoincrement=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("short_name", sa.Text, nullable=False),
        sa.Column("display_name", sa.Text, nullable=False),
        sa.Column("owner_user_id", sa.BigInteger, nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("account_id", name="pk_known_account"),
    )
    op.create_index("ix_known_account_short_name", "known_account", ["short_name"])
    op.create_table(
        "known_model",
        sa.Column("model_id", sa.BigInteger, autoincrement=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("model_id", name="pk_known_model"),
    )


def downgrade() -> None:
    for table in ("known_model", "known_account", "refill"):
        op.drop_table(table)
