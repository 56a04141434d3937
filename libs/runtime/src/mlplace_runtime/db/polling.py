"""Checks cheaply whether the database has work for a loop; mostly it has none.

A transaction through SQLAlchemy takes two milliseconds of processor time. Most of that is wasted when there is no work:
an idle all-in-one process spent a fifth of its time on it. So a loop first queries the driver directly.
"""

import asyncio
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from datetime import UTC, datetime
from functools import cache
from typing import Final, cast

import asyncpg
from sqlalchemy import BindParameter, ColumnClause, DateTime, Integer, SelectBase, bindparam, literal_column
from sqlalchemy.dialects.postgresql.asyncpg import dialect
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import AsyncConnection

ONE: Final[ColumnClause[int]] = literal_column("1", Integer())


class Lookout:
    """Queries over one connection of its own. Opens it at the first query, and again after a failure."""

    def __init__(self, connect: Callable[[], AbstractAsyncContextManager[AsyncConnection]]) -> None:
        self._new_connection = connect
        self._turn = asyncio.Lock()
        self._connection: asyncpg.Connection | None = None
        self._open = AsyncExitStack()

    async def finds(self, query: SelectBase, **values: object) -> bool:
        """Returns whether the query finds a row. `values` replace the values of its named parameters.

        Only for constant queries: each is compiled once. Raises SQLAlchemyError, OSError.
        """
        statement, names, defaults = _compiled(query)
        given = defaults | values
        async with self._turn:
            try:
                connection = self._connection or await self._connect()
                return await connection.fetchrow(statement, *(given[name] for name in names)) is not None
            except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
                await self.close()
                raise OperationalError(statement, None, error) from error
            except BaseException:
                await self.close()
                raise

    async def close(self) -> None:
        self._connection = None
        await self._open.aclose()

    async def _connect(self) -> asyncpg.Connection:
        connection = await self._open.enter_async_context(self._new_connection())
        raw = await connection.get_raw_connection()
        self._connection = cast("asyncpg.Connection", raw.driver_connection)
        return self._connection


@cache
def _compiled(query: SelectBase) -> tuple[str, tuple[str, ...], dict[str, object]]:
    """Returns the query's text, the names of its parameters in order, and their default values."""
    compiled = query.compile(dialect=dialect(), compile_kwargs={"render_postcompile": True})
    return str(compiled), tuple(compiled.positiontup or ()), dict(compiled.params)


def moment(name: str) -> BindParameter[datetime]:
    """Returns a named parameter of a query. `finds` gets its value."""
    return bindparam(name, datetime.min.replace(tzinfo=UTC), type_=DateTime(timezone=True))
