"""Tables of work that processes claim, for `test_claims.py`."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "leased_work",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("due_at", _MOMENT, nullable=False),
        sa.Column("leased_until", _MOMENT, nullable=True),
        sa.Column("token", sa.Uuid, nullable=True),
        sa.Column("attempts", sa.BigInteger, nullable=False),
        sa.Column("result", sa.Text, nullable=True),
    )
    op.create_table(
        "postponed_work",
        sa.Column("id", sa.BigInteger, primary_key=True),
        sa.Column("due_at", _MOMENT, nullable=True),
        sa.Column("result", sa.Text, nullable=True),
    )


def downgrade() -> None:
    op.drop_table("postponed_work")
    op.drop_table("leased_work")
