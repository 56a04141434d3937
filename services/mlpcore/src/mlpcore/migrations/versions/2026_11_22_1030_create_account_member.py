"""Members of accounts, to notify only of gained and lost access. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.create_table(
        "account_member",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("user_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("member", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("account_id", "user_id", name=op.f("pk_account_member")),
    )


def downgrade() -> None:
    op.drop_table("account_member")
