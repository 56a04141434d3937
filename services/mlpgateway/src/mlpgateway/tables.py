"""The base of this service's tables."""

from mlplace_runtime.db.base import ServiceBase, new_metadata


class Base(ServiceBase):
    __abstract__ = True
    metadata = new_metadata()
