"""Queries that loops repeat and that mostly find nothing. They call PostgreSQL's driver directly.

A transaction through SQLAlchemy takes two milliseconds of processor time. Most of that is wasted when there is no work:
an idle all-in-one process spent a fifth of its time on it.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from datetime import UTC, datetime
from functools import cache
from typing import Any, Final, cast

import asyncpg
from sqlalchemy import BindParameter, ColumnClause, DateTime, Integer, SelectBase, bindparam, literal_column
from sqlalchemy.dialects.postgresql.asyncpg import dialect
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

ONE: Final[ColumnClause[int]] = literal_column("1", Integer())


async def poll(connection: AsyncConnection, query: SelectBase, **values: object) -> Sequence[tuple[Any, ...]]:
    """Returns the rows of the query. `values` replace the values of its named parameters.

    Only for constant queries, because each is compiled once, and for connections in autocommit mode, where each query
    is a transaction. Raises OperationalError when the connection is lost, DBAPIError for another refusal of the
    server, and OSError.
    """
    raw = await connection.get_raw_connection()
    driver = cast("asyncpg.Connection", raw.driver_connection)
    statement, names, defaults = _compiled(query)
    given = defaults | values
    try:
        return [tuple(row) for row in await driver.fetch(statement, *(given[name] for name in names))]
    except asyncpg.PostgresError as error:
        raise DBAPIError(statement, None, error) from error
    except (asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise OperationalError(statement, None, error) from error


class PollingConnection:
    """A connection of its own for `poll`. Opens at the first query, and again after an error."""

    def __init__(self, connect: Callable[[], AbstractAsyncContextManager[AsyncConnection]]) -> None:
        self._new_connection = connect
        self._turn = asyncio.Lock()
        self._connection: AsyncConnection | None = None
        self._open = AsyncExitStack()

    async def finds(self, query: SelectBase, **values: object) -> bool:
        """Returns whether the query finds a row. Otherwise like `poll`, also its errors."""
        async with self._turn:
            try:
                if self._connection is None:
                    self._connection = await self._open.enter_async_context(self._new_connection())
                return bool(await poll(self._connection, query, **values))
            except BaseException:
                await self.close()
                raise

    async def close(self) -> None:
        self._connection = None
        await self._open.aclose()


@cache
def _compiled(query: SelectBase) -> tuple[str, tuple[str, ...], dict[str, object]]:
    """Returns the query's text, the names of its parameters in order, and their default values."""
    compiled = query.compile(dialect=dialect(), compile_kwargs={"render_postcompile": True})
    return str(compiled), tuple(compiled.positiontup or ()), dict(compiled.params)


def moment(name: str) -> BindParameter[datetime]:
    """Returns a named parameter of a polling query. The caller gives its value."""
    return bindparam(name, datetime.min.replace(tzinfo=UTC), type_=DateTime(timezone=True))
