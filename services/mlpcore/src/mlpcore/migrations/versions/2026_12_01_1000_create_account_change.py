"""Who changed the limits, features and allowed networks of accounts, and why.

The previous release can run beside this one: it changes them without a record.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0039"
down_revision = "0038"


def upgrade() -> None:
    op.create_table(
        "account_change",
        sa.Column("id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("occurred_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("actor_user_id", sa.BigInteger(), nullable=True),
        sa.Column("actor_login", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("details", postgresql.JSONB(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_account_change")),
    )
    op.create_index("ix_account_change_account_id_id", "account_change", ["account_id", "id"])
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON account_change FROM mlpcore")


def downgrade() -> None:
    op.drop_table("account_change")
