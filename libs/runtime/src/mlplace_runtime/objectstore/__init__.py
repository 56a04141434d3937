"""The object store port, with a folder or an S3 bucket as its adapter."""

from mlplace_runtime.objectstore.port import (
    ObjectNotFoundError,
    ObjectNotReadError,
    ObjectNotStoredError,
    ObjectStore,
    StoredObject,
)
from mlplace_runtime.objectstore.s3 import S3Settings, ensure_bucket, open_s3
from mlplace_runtime.objectstore.stores import open_folder

__all__ = [
    "ObjectNotFoundError",
    "ObjectNotReadError",
    "ObjectNotStoredError",
    "ObjectStore",
    "S3Settings",
    "StoredObject",
    "ensure_bucket",
    "open_folder",
    "open_s3",
]
