"""Calls of a model per minute and hour, and a position in an instance's output. The previous release can run beside it:
it adds neither, so what it counts and stores meanwhile is missing here.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"


def upgrade() -> None:
    op.create_table(
        "model_call_period",
        sa.Column("model_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("seconds", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("start", sa.DateTime(timezone=True), nullable=False),
        sa.Column("bucket", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("calls", sa.BigInteger(), nullable=False),
        sa.Column("amount_nano", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("model_id", "seconds", "start", "bucket", name=op.f("pk_model_call_period")),
    )
    op.create_index("ix_model_call_period_start", "model_call_period", ["seconds", "start"])
    op.add_column(
        "instance_log", sa.Column("stored_length", sa.BigInteger(), server_default=sa.text("0"), nullable=False)
    )


def downgrade() -> None:
    op.drop_column("instance_log", "stored_length")
    op.drop_table("model_call_period")
