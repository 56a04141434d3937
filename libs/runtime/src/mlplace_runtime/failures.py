"""Classifies database errors: a bad statement or value, or a database that is unreachable or in trouble."""

import sqlalchemy.exc as sa_exc
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_dbapi

# SQLSTATE classes: connection, serialization and deadlock, resources, lock not available, operator, system error.
_TROUBLE = frozenset({"08", "40", "53", "55", "57", "58"})
FAILURES = (OSError, TimeoutError, sa_exc.SQLAlchemyError)
"""Errors that database work may raise."""
_VALUE = "22"
_LOCK_NOT_AVAILABLE = "55P03"
_GONE = frozenset({"08", "57P01", "57P02", "57P03"})  # connection lost; server shut down, crashed or still starting


def is_of_the_database(error: BaseException) -> bool:
    """Whether the database is in trouble: unreachable, lock lost, shut down, disk full.

    asyncpg's classes for these arrive as plain DBAPIError, so the SQLSTATE decides.
    """
    return is_away(error) or _state(error)[:2] in _TROUBLE


def is_away(error: BaseException) -> bool:
    """Whether the server, a database or any other, is unreachable: the same request may succeed once it is back."""
    if isinstance(error, (OSError, sa_exc.InterfaceError, sa_exc.OperationalError, sa_exc.TimeoutError)):
        return True
    if not isinstance(error, sa_exc.DBAPIError):
        return False
    return error.connection_invalidated or _is_gone(_state(error)) or _is_between(error)


def is_held_by_another(error: BaseException) -> bool:
    """Whether another transaction has kept a lock for longer than `lock_timeout`."""
    return _state(error) == _LOCK_NOT_AVAILABLE


def is_of_the_value(error: BaseException) -> bool:
    """Whether the database can never store the value, for example text with a zero byte or a number out of range."""
    return _state(error)[:2] == _VALUE


def _is_between(error: sa_exc.DBAPIError) -> bool:
    """Whether the server has announced the end of the connection and the driver has not closed it yet."""
    return isinstance(error.orig, AsyncAdapt_asyncpg_dbapi.InternalClientError)


def _is_gone(state: str) -> bool:
    return state[:2] in _GONE or state in _GONE


def _state(error: BaseException) -> str:
    state = getattr(error.orig, "sqlstate", None) if isinstance(error, sa_exc.DBAPIError) else None
    return state if isinstance(state, str) else ""
