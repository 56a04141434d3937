"""Reservations with the month's free units, and usage"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"

_MOMENT = sa.DateTime(timezone=True)
_UUID = postgresql.UUID(as_uuid=True)


def upgrade() -> None:
    _create_reservation()
    _create_free_units()
    _create_usage()


def _create_reservation() -> None:
    numbers = (
        "payer_account_id",
        "model_account_id",
        "model_id",
        "minimum_nano",
        "wanted_nano",
        "free_unit_quota",
        "wanted_free_units",
        "granted_nano",
        "granted_free_units",
        "held_nano",
        "held_free_units",
        "settled_nano",
        "settled_free_units",
    )
    op.create_table(
        "reservation",
        sa.Column("reservation_id", _UUID),
        sa.Column("gate", sa.Text, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("month", sa.Date, nullable=False),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in numbers),
        *(sa.Column(name, _MOMENT, nullable=False) for name in ("created_at", "usable_until", "ends_at")),
        sa.CheckConstraint("held_nano >= 0 AND held_free_units >= 0", name="ck_reservation_held"),
        sa.PrimaryKeyConstraint("reservation_id", name="pk_reservation"),
    )
    op.create_index("ix_reservation_created_at", "reservation", ["created_at"])
    op.create_index(
        "ix_reservation_holds", "reservation", ["payer_account_id"], postgresql_where=sa.text("held_nano > 0")
    )
    op.create_index(
        "ix_reservation_open",
        "reservation",
        ["ends_at"],
        postgresql_where=sa.text("held_nano > 0 OR held_free_units > 0"),
    )


def _create_free_units() -> None:
    op.create_table(
        "free_units",
        sa.Column("payer_account_id", sa.BigInteger, autoincrement=False),
        sa.Column("model_id", sa.BigInteger, autoincrement=False),
        sa.Column("month", sa.Date),
        sa.Column("used", sa.BigInteger, nullable=False),
        sa.Column("held", sa.BigInteger, nullable=False),
        sa.CheckConstraint("held >= 0", name="ck_free_units_held"),
        sa.PrimaryKeyConstraint("payer_account_id", "model_id", "month", name="pk_free_units"),
    )


def _create_usage() -> None:
    numbers = (
        "caller_account_id",
        "payer_account_id",
        "model_account_id",
        "model_id",
        "units",
        "free_units",
        "unit_price_nano",
        "amount_nano",
        "charged_nano",
        "fee_nano",
        "model_time_ms",
    )
    texts = ("request_id", "operation", "model_name", "billing_unit", "currency")
    op.create_table(
        "usage",
        sa.Column("usage_id", _UUID),
        sa.Column("occurred_at", _MOMENT, nullable=False),
        sa.Column("recorded_at", _MOMENT, nullable=False, server_default=sa.func.now()),
        *(sa.Column(name, sa.Text, nullable=False) for name in texts),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in numbers),
        sa.Column("payer_key_id", sa.BigInteger, nullable=True),
        sa.Column("instance_id", sa.BigInteger, nullable=True),
        sa.Column("reservation_id", _UUID, nullable=True),
        sa.Column("transaction_id", _UUID, nullable=True),
        sa.PrimaryKeyConstraint("usage_id", name="pk_usage"),
    )
    op.create_index("ix_usage_spending", "usage", ["payer_account_id", "currency", "occurred_at"])
    op.create_index("ix_usage_income", "usage", ["model_account_id", "currency", "occurred_at"])
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON usage FROM mlpbilling")


def downgrade() -> None:
    for table in ("usage", "free_units", "reservation"):
        op.drop_table(table)
