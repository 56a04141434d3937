"""Naming conventions, column types and the base class for the tables of all services."""

from datetime import datetime
from typing import Any

from sqlalchemy import BigInteger, DateTime, MetaData
from sqlalchemy.orm import DeclarativeBase
from sqlalchemy.types import TypeEngine

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}

TYPES: dict[type, type[TypeEngine[Any]] | TypeEngine[Any]] = {
    int: BigInteger,
    datetime: DateTime(timezone=True),
}


class ServiceBase(DeclarativeBase):
    """Subclass it once per service, with its own `metadata`: services never share a table."""

    __abstract__ = True
    type_annotation_map = TYPES


def new_metadata() -> MetaData:
    return MetaData(naming_convention=NAMING)
