"""Calls of models per day, for the catalogue. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"


def upgrade() -> None:
    op.create_table(
        "model_call_day",
        sa.Column("model_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("bucket", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("model_id", "day", "bucket", name=op.f("pk_model_call_day")),
    )
    op.create_index("ix_model_call_day_day", "model_call_day", ["day"])


def downgrade() -> None:
    op.drop_table("model_call_day")
