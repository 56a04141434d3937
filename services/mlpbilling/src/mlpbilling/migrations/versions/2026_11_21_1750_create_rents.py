"""Creates rents of hosting and their charges"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"

_UUID = postgresql.UUID(as_uuid=True)
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "rent",
        sa.Column("rent_id", sa.BigInteger, autoincrement=False),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.Column("source_type", sa.Text, nullable=False),
        sa.Column("source_name", sa.Text, nullable=False),
        sa.Column("owner_account_id", sa.BigInteger, nullable=False),
        sa.Column("payer_account_id", sa.BigInteger, nullable=False),
        sa.Column("price_nano", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("period", sa.Text, nullable=False),
        sa.Column("anchor_at", _MOMENT, nullable=False),
        sa.Column("periods_paid", sa.BigInteger, nullable=False),
        sa.Column("paid_until", _MOMENT, nullable=False),
        sa.Column("ended_at", _MOMENT, nullable=True),
        sa.Column("due", sa.Boolean, nullable=False),
        sa.PrimaryKeyConstraint("rent_id", name="pk_rent"),
    )
    op.create_index("ix_rent_due", "rent", ["paid_until"], postgresql_where=sa.text("due"))
    _create_charge()


def _create_charge() -> None:
    op.create_table(
        "rent_charge",
        sa.Column("charge_id", _UUID),
        sa.Column("rent_id", sa.BigInteger, nullable=False),
        sa.Column("source_type", sa.Text, nullable=False),
        sa.Column("source_name", sa.Text, nullable=False),
        sa.Column("owner_account_id", sa.BigInteger, nullable=False),
        sa.Column("payer_account_id", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("period_start", _MOMENT, nullable=False),
        sa.Column("period_end", _MOMENT, nullable=False),
        sa.Column("periods", sa.BigInteger, nullable=False),
        sa.Column("charged_nano", sa.BigInteger, nullable=False),
        sa.Column("fee_nano", sa.BigInteger, nullable=False),
        sa.Column("transaction_id", _UUID, nullable=False),
        sa.Column("recorded_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("charge_id", name="pk_rent_charge"),
        sa.UniqueConstraint("rent_id", "period_start", name="uq_rent_charge_rent_id_period_start"),
    )
    for side, account in (("spending", "payer_account_id"), ("income", "owner_account_id")):
        op.create_index(f"ix_rent_charge_{side}", "rent_charge", [account, "currency", "period_start"])
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON rent_charge FROM mlpbilling")


def downgrade() -> None:
    for table in ("rent_charge", "rent"):
        op.drop_table(table)
