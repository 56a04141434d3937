"""The base of mlpbilling's tables. Each feature defines its own; other features refer to them by plain ids."""

from mlplace_runtime.db.base import ServiceBase, new_metadata


class Base(ServiceBase):
    __abstract__ = True
    metadata = new_metadata()
