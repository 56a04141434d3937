"""Cheap questions that loops ask a database again and again, almost always in vain.

A transaction through SQLAlchemy costs a process two milliseconds, most of them for what the loop would need if there
were work. An idle all-in-one process spent a fifth of its time on that. So a loop asks the driver alone first.
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
    """Asks over one connection of its own, which it opens when it is needed first and after each failure."""

    def __init__(self, connect: Callable[[], AbstractAsyncContextManager[AsyncConnection]]) -> None:
        self._new_connection = connect
        self._turn = asyncio.Lock()
        self._connection: asyncpg.Connection | None = None
        self._open = AsyncExitStack()

    async def finds(self, query: SelectBase, **values: object) -> bool:
        """Whether the query has a row. `values` replace those of its named parameters.

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
    """The text, the names of its parameters in their order, and their values."""
    compiled = query.compile(dialect=dialect(), compile_kwargs={"render_postcompile": True})
    return str(compiled), tuple(compiled.positiontup or ()), dict(compiled.params)


def moment(name: str) -> BindParameter[datetime]:
    """A named parameter of a query, which `finds` gets the value of."""
    return bindparam(name, datetime.min.replace(tzinfo=UTC), type_=DateTime(timezone=True))
