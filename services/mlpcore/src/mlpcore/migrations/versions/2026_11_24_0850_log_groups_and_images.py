"""Indexes of the log by group and by image, and the logged capacity of servers. The previous release writes entries of
both kinds and reads neither.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.create_index(
        "ix_stat_log_group",
        "stat_log",
        ["account_id", "resource_group", "record_id"],
        postgresql_where=sa.text("resource_group IS NOT NULL"),
    )
    op.create_index(
        "ix_stat_log_image",
        "stat_log",
        ["account_id", "image_id", "record_id"],
        postgresql_where=sa.text("image_id IS NOT NULL"),
    )
    op.add_column("server", sa.Column("logged", postgresql.JSONB(), nullable=True))


def downgrade() -> None:
    op.drop_column("server", "logged")
    op.drop_index("ix_stat_log_image", "stat_log")
    op.drop_index("ix_stat_log_group", "stat_log")
