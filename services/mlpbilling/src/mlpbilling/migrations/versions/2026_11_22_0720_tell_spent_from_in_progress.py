"""Separates what a gate has spent of a reservation from what its calls may still spend.

Former code can write meanwhile.
"""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

_COLUMNS = ("spent_nano", "spent_free_units")


def upgrade() -> None:
    for name in _COLUMNS:
        op.add_column("reservation", sa.Column(name, sa.BigInteger, nullable=False, server_default="0"))


def downgrade() -> None:
    for name in _COLUMNS:
        op.drop_column("reservation", name)
