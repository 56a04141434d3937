"""Whose fault an error is: that of the statement, or of a database that is away or in trouble."""

import sqlalchemy.exc as sa_exc
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_dbapi

# Classes of SQLSTATE: connection, serialization and deadlock, resources, lock not available, operator, system.
_TROUBLE = frozenset({"08", "40", "53", "55", "57", "58"})
FAILURES = (OSError, TimeoutError, sa_exc.SQLAlchemyError)
"""What work with a database may end in."""
_VALUE = "22"
_GONE = frozenset({"08", "57P01", "57P02", "57P03"})  # no connection; shut down, crashed, not yet up


def is_of_the_database(error: BaseException) -> bool:
    """Lost locks, shutdowns, full disks: asyncpg's classes for them reach us as plain DBAPIError, told by SQLSTATE."""
    return is_away(error) or _state(error)[:2] in _TROUBLE


def is_away(error: BaseException) -> bool:
    """Nobody answers, be it a database or another server: the same may work as soon as it is back."""
    if isinstance(error, (OSError, sa_exc.InterfaceError, sa_exc.OperationalError, sa_exc.TimeoutError)):
        return True
    if not isinstance(error, sa_exc.DBAPIError):
        return False
    return error.connection_invalidated or _is_gone(_state(error)) or _is_between(error)


def is_of_the_value(error: BaseException) -> bool:
    """The database will never take such a value, as text with a zero byte or a number beyond its type."""
    return _state(error)[:2] == _VALUE


def _is_between(error: sa_exc.DBAPIError) -> bool:
    """The server has said that it ends the connection, and the driver has not closed it yet."""
    return isinstance(error.orig, AsyncAdapt_asyncpg_dbapi.InternalClientError)


def _is_gone(state: str) -> bool:
    return state[:2] in _GONE or state in _GONE


def _state(error: BaseException) -> str:
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, sa_exc.DBAPIError) else None
    return state if isinstance(state, str) else ""
