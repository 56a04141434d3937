"""The object store port: buckets and keys, folders behind it here, S3 behind it elsewhere."""

from mlplace_runtime.objectstore.port import ObjectNotFoundError, ObjectStore
from mlplace_runtime.objectstore.stores import open_folder

__all__ = ["ObjectNotFoundError", "ObjectStore", "open_folder"]
