"""Datasets, and their entries in the log. The previous release writes no such entries and reads entries of all kinds."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0027"
down_revision = "0026"


def upgrade() -> None:
    op.create_table(
        "dataset",
        sa.Column("dataset_id", sa.BigInteger(), sa.Identity(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("data_type", sa.Text(), nullable=False),
        sa.Column("access_mode", sa.Text(), nullable=False),
        sa.Column("version", sa.BigInteger(), nullable=False),
        sa.Column("object_key", sa.Text(), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=True),
        sa.Column("rows", sa.BigInteger(), nullable=True),
        sa.Column("columns", postgresql.ARRAY(sa.Text()), nullable=True),
        sa.Column("warning", sa.Text(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", name=op.f("pk_dataset")),
        sa.UniqueConstraint("account_id", "name", name=op.f("uq_dataset_account_id_name")),
    )
    op.create_index(
        "ix_dataset_shared",
        "dataset",
        ["data_type", "dataset_id"],
        postgresql_where=sa.text("access_mode <> 'private'"),
    )
    op.create_index("uq_dataset_object_key", "dataset", ["object_key"], unique=True)
    op.create_index(
        "ix_model_training_dataset_id",
        "model",
        ["training_dataset_id"],
        postgresql_where=sa.text("training_dataset_id IS NOT NULL"),
    )
    op.add_column("stat_log", sa.Column("dataset_id", sa.BigInteger(), nullable=True))
    op.create_index(
        "ix_stat_log_dataset",
        "stat_log",
        ["account_id", "dataset_id", "record_id"],
        postgresql_where=sa.text("dataset_id IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("ix_stat_log_dataset", "stat_log")
    op.drop_column("stat_log", "dataset_id")
    op.drop_index("ix_model_training_dataset_id", "model")
    op.drop_table("dataset")
