"""Buckets of accounts. The previous release can run beside it."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0034"
down_revision = "0033"

_TIME = sa.DateTime(timezone=True)


def upgrade() -> None:
    op.create_table(
        "bucket",
        sa.Column("account_id", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("used_bytes", sa.BigInteger(), nullable=False),
        sa.Column("objects", sa.BigInteger(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("account_id", name=op.f("pk_bucket")),
        sa.UniqueConstraint("name", name=op.f("uq_bucket_name")),
    )
    op.create_table(
        "bucket_credential",
        sa.Column("access_key", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("secret_sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("access_key", name=op.f("pk_bucket_credential")),
        sa.UniqueConstraint("account_id", name=op.f("uq_bucket_credential_account_id")),
    )
    op.create_table(
        "bucket_object",
        sa.Column("object_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("etag", sa.Text(), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("headers", postgresql.JSONB(), nullable=False),
        sa.Column("user_metadata", postgresql.JSONB(), nullable=False),
        sa.Column("modified_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("object_id", name=op.f("pk_bucket_object")),
        sa.UniqueConstraint("account_id", "key", name=op.f("uq_bucket_object_account_id_key")),
    )
    op.create_table(
        "bucket_upload",
        sa.Column("upload_id", sa.Text(), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("key", sa.Text(collation="C"), nullable=False),
        sa.Column("content_type", sa.Text(), nullable=False),
        sa.Column("headers", postgresql.JSONB(), nullable=False),
        sa.Column("user_metadata", postgresql.JSONB(), nullable=False),
        sa.Column("created_at", _TIME, nullable=False),
        sa.PrimaryKeyConstraint("upload_id", name=op.f("pk_bucket_upload")),
    )
    op.create_index("ix_bucket_upload_account_id_key", "bucket_upload", ["account_id", "key"])
    _create_blobs()


def _create_blobs() -> None:
    op.create_table(
        "bucket_blob",
        sa.Column("blob_id", sa.BigInteger(), sa.Identity(always=False), nullable=False),
        sa.Column("account_id", sa.BigInteger(), nullable=False),
        sa.Column("store_key", sa.Text(), nullable=False),
        sa.Column("object_id", sa.BigInteger(), nullable=True),
        sa.Column("upload_id", sa.Text(), nullable=True),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("md5", sa.Text(), nullable=False),
        sa.Column("stored_at", _TIME, nullable=False),
        sa.Column("delete_after", _TIME, nullable=True),
        sa.PrimaryKeyConstraint("blob_id", name=op.f("pk_bucket_blob")),
    )
    of_object = sa.text("object_id IS NOT NULL")
    op.create_index(
        "ix_bucket_blob_object_id_number", "bucket_blob", ["object_id", "number"], postgresql_where=of_object
    )
    of_upload = sa.text("upload_id IS NOT NULL")
    op.create_index(
        "uq_bucket_blob_upload_id_number",
        "bucket_blob",
        ["upload_id", "number"],
        unique=True,
        postgresql_where=of_upload,
    )
    unused = sa.text("delete_after IS NOT NULL")
    op.create_index("ix_bucket_blob_delete_after", "bucket_blob", ["delete_after"], postgresql_where=unused)
    op.create_index("ix_bucket_blob_unused", "bucket_blob", ["account_id"], postgresql_where=unused)


def downgrade() -> None:
    for table in ("bucket_blob", "bucket_upload", "bucket_object", "bucket_credential", "bucket"):
        op.drop_table(table)
