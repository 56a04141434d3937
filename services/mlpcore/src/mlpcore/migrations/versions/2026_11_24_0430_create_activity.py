"""When models and accounts were last used. The previous release can run beside it: it writes the older columns, so the
activity that it notes meanwhile is missing here.
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    for table, key in (("model_activity", "model_id"), ("account_activity", "account_id")):
        op.create_table(
            table,
            sa.Column(key, sa.BigInteger(), autoincrement=False, nullable=False),
            sa.Column("last_activity_at", sa.DateTime(timezone=True), nullable=False),
            sa.PrimaryKeyConstraint(key, name=op.f(f"pk_{table}")),
        )
    op.create_index("ix_model_activity_last_activity_at", "model_activity", ["last_activity_at"])
    op.execute("INSERT INTO model_activity SELECT model_id, last_activity FROM model WHERE last_activity IS NOT NULL")
    op.execute(
        "INSERT INTO account_activity SELECT account_id, last_activity FROM platform_account "
        "WHERE last_activity IS NOT NULL"
    )


def downgrade() -> None:
    op.drop_table("account_activity")
    op.drop_table("model_activity")
