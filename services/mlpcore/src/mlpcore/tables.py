"""The base class of mlpcore's tables. A feature refers to the tables of another feature by plain ids."""

from mlplace_runtime.db.base import ServiceBase, new_metadata


class Base(ServiceBase):
    __abstract__ = True
    metadata = new_metadata()
