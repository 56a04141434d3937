from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import Mapped, mapped_column

from mlpcore.tables import Base

# Bytes decide the order of keys, as S3 wants it, whatever the order of texts in the database is.
_KEY = sa.Text(collation="C")


class Bucket(Base):
    """The account's bucket. `used_bytes` is the sum of its objects and of the parts of unfinished uploads."""

    __tablename__ = "bucket"

    account_id: Mapped[int] = mapped_column(sa.BigInteger, primary_key=True, autoincrement=False)
    name: Mapped[str] = mapped_column(sa.Text, unique=True)
    used_bytes: Mapped[int]
    objects: Mapped[int]
    created_at: Mapped[datetime]


class BucketCredential(Base):
    """The secret key is encrypted, not hashed: signatures are checked with it."""

    __tablename__ = "bucket_credential"

    access_key: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    account_id: Mapped[int] = mapped_column(unique=True)
    secret_sealed: Mapped[bytes]
    created_at: Mapped[datetime]
    created_by: Mapped[str] = mapped_column(sa.Text)


class InstanceCredential(Base):
    """The credential with which one instance, in one generation, reaches the keys below the prefix.

    `ended_at` None: it is valid, and the only valid one of its instance. The secret is deleted when it ends.
    """

    __tablename__ = "instance_credential"
    __table_args__ = (
        sa.UniqueConstraint("access_key"),
        sa.Index(
            "uq_instance_credential_live", "instance_id", unique=True, postgresql_where=sa.text("ended_at IS NULL")
        ),
        sa.Index("ix_instance_credential_account", "account_id", postgresql_where=sa.text("ended_at IS NULL")),
        sa.Index("ix_instance_credential_ended_at", "ended_at", postgresql_where=sa.text("ended_at IS NOT NULL")),
    )

    credential_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    access_key: Mapped[str] = mapped_column(sa.Text)
    account_id: Mapped[int]
    instance_id: Mapped[int]
    generation: Mapped[int]
    prefix: Mapped[str] = mapped_column(sa.Text)
    secret_sealed: Mapped[bytes | None]
    created_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]


class BucketObject(Base):
    """An object, whose bytes are those of its blobs one after the other.

    `headers` are those that the uploader set and that downloads get; `user_metadata` are the ones named x-amz-meta-*.
    """

    __tablename__ = "bucket_object"
    __table_args__ = (sa.UniqueConstraint("account_id", "key"),)

    object_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    key: Mapped[str] = mapped_column(_KEY)
    size: Mapped[int]
    etag: Mapped[str] = mapped_column(sa.Text)
    content_type: Mapped[str] = mapped_column(sa.Text)
    headers: Mapped[dict[str, str]] = mapped_column(postgresql.JSONB)
    user_metadata: Mapped[dict[str, str]] = mapped_column(postgresql.JSONB)
    modified_at: Mapped[datetime]


class BucketUpload(Base):
    """An upload in parts that has not been completed."""

    __tablename__ = "bucket_upload"
    __table_args__ = (sa.Index("ix_bucket_upload_account_id_key", "account_id", "key"),)

    upload_id: Mapped[str] = mapped_column(sa.Text, primary_key=True)
    account_id: Mapped[int]
    key: Mapped[str] = mapped_column(_KEY)
    content_type: Mapped[str] = mapped_column(sa.Text)
    headers: Mapped[dict[str, str]] = mapped_column(postgresql.JSONB)
    user_metadata: Mapped[dict[str, str]] = mapped_column(postgresql.JSONB)
    created_at: Mapped[datetime]


class BucketBlob(Base):
    """Bytes in the object store, as part `number` of an object or of an unfinished upload.

    The row exists before the first byte is stored and until the last one is deleted. `delete_after` is set while
    nothing refers to it: before it is stored to its end (`size` is then what was announced, and `md5` empty), and after
    its object has gone. Replaced contents of datasets have such a row, too. `upload_id` beside an `object_id`: the
    completed upload of which the object was made.
    """

    __tablename__ = "bucket_blob"
    __table_args__ = (
        sa.Index(
            "ix_bucket_blob_object_id_number", "object_id", "number", postgresql_where=sa.text("object_id IS NOT NULL")
        ),
        sa.Index(
            "uq_bucket_blob_upload_id_number", "upload_id", "number", unique=True,
            postgresql_where=sa.text("upload_id IS NOT NULL"),
        ),
        sa.Index("ix_bucket_blob_delete_after", "delete_after", postgresql_where=sa.text("delete_after IS NOT NULL")),
        sa.Index("ix_bucket_blob_unused", "account_id", postgresql_where=sa.text("delete_after IS NOT NULL")),
    )  # fmt: skip

    blob_id: Mapped[int] = mapped_column(sa.BigInteger, sa.Identity(), primary_key=True)
    account_id: Mapped[int]
    store_key: Mapped[str] = mapped_column(sa.Text)
    object_id: Mapped[int | None] = mapped_column(sa.BigInteger)
    upload_id: Mapped[str | None] = mapped_column(sa.Text)
    number: Mapped[int]
    size: Mapped[int]
    md5: Mapped[str] = mapped_column(sa.Text)
    stored_at: Mapped[datetime]
    delete_after: Mapped[datetime | None]
