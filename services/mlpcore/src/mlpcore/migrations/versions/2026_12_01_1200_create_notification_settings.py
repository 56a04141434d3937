"""Which events a member of an account sees as notifications, and which are mailed to them.

The previous release can run beside this one: its notifications have no event, so everybody sees them and nobody gets
them by mail.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0041"
down_revision = "0040"


def upgrade() -> None:
    op.add_column("notification", sa.Column("event", sa.Text(), nullable=True))
    op.create_table(
        "notification_settings",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("login", sa.Text(), nullable=False),
        sa.Column("hidden", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("mailed", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("mailed_until", sa.BigInteger(), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "user_id", name=op.f("pk_notification_settings")),
    )
    op.create_index("ix_notification_settings_user_id", "notification_settings", ["user_id"])


def downgrade() -> None:
    op.drop_table("notification_settings")
    op.drop_column("notification", "event")
