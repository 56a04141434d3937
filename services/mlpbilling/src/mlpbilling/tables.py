"""The base of mlpbilling's tables. Features define their own and refer to other features' tables by plain ids."""

from mlplace_runtime.db.base import ServiceBase, new_metadata


class Base(ServiceBase):
    __abstract__ = True
    metadata = new_metadata()
