"""Records people who have had the welcome bonus, and counts bonuses per day."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "welcomed_person",
        sa.Column("person", sa.Text, nullable=False),
        sa.Column("user_id", sa.BigInteger, nullable=False),
        sa.Column("granted_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("person", name="pk_welcomed_person"),
    )
    op.create_table(
        "welcome_day",
        sa.Column("day", sa.Date, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("granted", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("day", "subject", name="pk_welcome_day"),
    )


def downgrade() -> None:
    op.drop_table("welcome_day")
    op.drop_table("welcomed_person")
