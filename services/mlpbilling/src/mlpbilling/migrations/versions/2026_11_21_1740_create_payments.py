"""Creates card payments in progress, reports of providers, and the sandbox's own data"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"

_UUID = postgresql.UUID(as_uuid=True)
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_attempt()
    _create_notice()
    _create_sandbox()


def _create_attempt() -> None:
    op.create_table(
        "payment_attempt",
        sa.Column("attempt_id", _UUID),
        sa.Column("refill_id", sa.BigInteger, nullable=False),
        sa.Column("account_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("amount_nano", sa.BigInteger, nullable=False),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=True),
        sa.Column("payment_id", sa.Text, nullable=True),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.Column("settled_at", _MOMENT, nullable=True),
        sa.Column("checks", sa.BigInteger, nullable=False),
        sa.Column("next_check_at", _MOMENT, nullable=True),
        sa.CheckConstraint("amount_nano > 0", name="ck_payment_attempt_amount"),
        sa.PrimaryKeyConstraint("attempt_id", name="pk_payment_attempt"),
        sa.UniqueConstraint("refill_id", name="uq_payment_attempt_refill_id"),
    )
    op.create_index("ix_payment_attempt_account", "payment_attempt", ["account_id", "refill_id"])
    op.create_index(
        "ix_payment_attempt_checks",
        "payment_attempt",
        ["next_check_at"],
        postgresql_where=sa.text("next_check_at IS NOT NULL"),
    )
    op.execute("REVOKE DELETE, TRUNCATE, UPDATE ON payment_attempt FROM mlpbilling")
    op.execute(
        "GRANT UPDATE (state, reason, payment_id, settled_at, checks, next_check_at) ON payment_attempt TO mlpbilling"
    )


def _create_notice() -> None:
    op.create_table(
        "payment_notice",
        sa.Column("id", sa.BigInteger, sa.Identity()),
        sa.Column("received_at", _MOMENT, nullable=False),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("attempt_id", _UUID, nullable=False),
        sa.Column("payment_id", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("amount_nano", sa.BigInteger, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.ForeignKeyConstraint(
            ["attempt_id"], ["payment_attempt.attempt_id"], name="fk_payment_notice_attempt_id_payment_attempt"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_payment_notice"),
    )
    op.create_index("ix_payment_notice_attempt", "payment_notice", ["attempt_id", "id"])
    op.create_index(
        "ix_payment_notice_mismatch", "payment_notice", ["id"], postgresql_where=sa.text("verdict = 'MISMATCH'")
    )
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON payment_notice FROM mlpbilling")


def _create_sandbox() -> None:
    op.create_table(
        "sandbox_payment",
        sa.Column("payment_id", sa.Text),
        sa.Column("order_id", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("amount_nano", sa.BigInteger, nullable=False),
        sa.Column("return_url", sa.Text, nullable=False),
        sa.Column("outcome", sa.Text, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("expires_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("payment_id", name="pk_sandbox_payment"),
        sa.UniqueConstraint("order_id", name="uq_sandbox_payment_order_id"),
    )


def downgrade() -> None:
    for table in ("sandbox_payment", "payment_notice", "payment_attempt"):
        op.drop_table(table)
