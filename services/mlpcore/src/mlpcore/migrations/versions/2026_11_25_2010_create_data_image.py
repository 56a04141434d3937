"""Data images, and their entries in the log. The previous release refuses mounts, so its services have none."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"


def upgrade() -> None:
    op.create_table(
        "data_image",
        sa.Column("data_image_id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("image", sa.Text(), nullable=False),
        sa.Column("source_path", sa.Text(), nullable=False),
        sa.Column("access_mode", sa.Text(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("data_image_id", name=op.f("pk_data_image")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_data_image_account_id_name")),
    )
    op.create_index(
        "ix_data_image_shared",
        "data_image",
        ["access_mode", "data_image_id"],
        postgresql_where=sa.text("access_mode <> 'private'"),
    )
    op.add_column("stat_log", sa.Column("data_image_id", sa.BigInteger(), nullable=True))
    op.create_index(
        "ix_stat_log_data_image",
        "stat_log",
        ["account_id", "data_image_id", "record_id"],
        postgresql_where=sa.text("data_image_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_stat_log_data_image", "stat_log")
    op.drop_column("stat_log", "data_image_id")
    op.drop_table("data_image")
