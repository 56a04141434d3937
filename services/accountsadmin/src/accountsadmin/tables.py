"""The base of this service's tables. Features refer to the tables of others by plain ids."""

from mlplace_runtime.db.base import ServiceBase, new_metadata


class Base(ServiceBase):
    __abstract__ = True
    metadata = new_metadata()
