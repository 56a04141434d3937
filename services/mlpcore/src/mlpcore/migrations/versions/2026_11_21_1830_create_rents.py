"""Rents of resource groups."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "rent",
        sa.Column("rent_id", sa.BigInteger, sa.Identity()),
        sa.Column("source_type", sa.Text, nullable=False),
        sa.Column("source_id", sa.BigInteger, nullable=False),
        sa.Column("source_name", sa.Text, nullable=False),
        sa.Column("owner_account_id", sa.BigInteger, nullable=False),
        sa.Column("payer_account_id", sa.BigInteger, nullable=False),
        sa.Column("price_nano", sa.BigInteger, nullable=False),
        sa.Column("currency", sa.Text, nullable=False),
        sa.Column("period", sa.Text, nullable=False),
        sa.Column("started_at", _MOMENT, nullable=False),
        sa.Column("changed_at", _MOMENT, nullable=False),
        sa.Column("ended_at", _MOMENT, nullable=True),
        sa.Column("version", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("rent_id", name="pk_rent"),
        sa.UniqueConstraint(
            "source_type", "source_id", "payer_account_id", name="uq_rent_source_type_source_id_payer_account_id"
        ),
    )


def downgrade() -> None:
    op.drop_table("rent")
