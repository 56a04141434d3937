"""Outbox (usage and connection events wait there for the bus), inbox, dead letters."""

from alembic import op

from mlplace_runtime.db.messaging import create_messaging_tables, drop_messaging_tables

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    create_messaging_tables(op)


def downgrade() -> None:
    drop_messaging_tables(op)
