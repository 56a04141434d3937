"""Examples of models. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"


def upgrade() -> None:
    op.create_table(
        "model_example",
        sa.Column("example_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("model_id", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("example_id", name=op.f("pk_model_example")),
        sa.UniqueConstraint("model_id", "name", name=op.f("uq_model_example_model_id_name")),
    )


def downgrade() -> None:
    op.drop_table("model_example")
