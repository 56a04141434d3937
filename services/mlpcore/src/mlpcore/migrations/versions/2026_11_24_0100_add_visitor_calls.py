"""How many calls visitors may make of a model in a day. The previous release can run beside it: its models allow none."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    op.add_column(
        "model", sa.Column("visitor_calls_per_day", sa.Integer(), server_default=sa.text("0"), nullable=False)
    )


def downgrade() -> None:
    op.drop_column("model", "visitor_calls_per_day")
