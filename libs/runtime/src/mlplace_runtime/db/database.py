"""One database of one service. Transactions are opened here and nowhere else; `commit` appears only in this package."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from functools import cache
from typing import Any, cast

import asyncpg
import orjson
from sqlalchemy import SelectBase, event, text
from sqlalchemy.dialects.postgresql.asyncpg import dialect
from sqlalchemy.exc import OperationalError, SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

_WAKE_KEY = "outbox_written"
_ANSWERS_WITHIN_SECONDS = 2.0
_CONNECT_SECONDS = 5.0
_STATEMENT_SECONDS = 30.0
# A server must not take a host that is gone for a client that is quiet: it may hold the relay's lock.
_KEEPALIVE = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3"}
_COPY_ID = text(
    "SELECT system_identifier::text, pg_database.oid::text, 'inbox'::regclass::oid::text"
    " FROM pg_control_system(), pg_database WHERE datname = current_database()"
)


class Database:
    """Engine, sessions and the signal that tells the relay of new outbox rows.

    `url` is of the form `postgresql+asyncpg://...`; `application_name` shows up in `pg_stat_activity`.
    """

    def __init__(self, url: str, *, application_name: str, pool_size: int = 8) -> None:
        self.url = url
        self.engine: AsyncEngine = create_async_engine(
            url,
            pool_size=pool_size,
            max_overflow=4,
            pool_timeout=10,
            pool_pre_ping=True,
            json_serializer=_to_json,
            json_deserializer=orjson.loads,
            hide_parameters=True,  # errors are logged, and what was to be stored may be a secret
            connect_args=_connect_args(application_name),
        )
        self._application_name = application_name
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False, autoflush=False)
        self.outbox_written = asyncio.Event()

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncSession]:
        """A session in one transaction: committed when the block ends well, rolled back when it raises."""
        async with self._sessions() as session:
            event.listen(session.sync_session, "after_commit", self._wake_relay)
            async with session.begin():
                yield session

    @asynccontextmanager
    async def dedicated_connection(self) -> AsyncGenerator[AsyncConnection]:
        """A connection outside the pool in autocommit mode: for locks that live as long as it does."""
        engine = create_async_engine(
            self.url,
            poolclass=NullPool,
            isolation_level="AUTOCOMMIT",
            hide_parameters=True,
            connect_args=_connect_args(self._application_name),
        )
        try:
            async with engine.connect() as connection:
                yield connection
        finally:
            await engine.dispose()

    async def answers(self) -> bool:
        try:
            async with asyncio.timeout(_ANSWERS_WITHIN_SECONDS), self.engine.connect() as connection:
                await connection.execute(text("SELECT 1"))
        except (SQLAlchemyError, OSError):  # a TimeoutError is an OSError
            return False
        return True

    async def copy_id(self) -> str:
        """Tells this copy of the data from any other, such as the same tables made anew or filled from a dump."""
        async with self.engine.connect() as connection:
            parts = (await connection.execute(_COPY_ID)).one()
        return hashlib.sha256(":".join(parts).encode()).hexdigest()[:12]

    def _wake_relay(self, session: Session) -> None:
        if session.info.pop(_WAKE_KEY, False):
            self.outbox_written.set()

    async def close(self) -> None:
        await self.engine.dispose()


async def glance(connection: AsyncConnection, query: SelectBase, *values: object) -> list[tuple[Any, ...]]:
    """Rows of a query that is asked again and again, mostly for nothing; the values in the order of its parameters.

    The driver alone is asked: what SQLAlchemy does around a query was most of what an idle process did. Only for a
    query that is made once, on a dedicated connection, where each is a transaction. Raises SQLAlchemyError, OSError.
    """
    own = await connection.get_raw_connection()
    driver, statement = cast("asyncpg.Connection", own.driver_connection), _text_of(query)
    try:
        return [tuple(row) for row in await driver.fetch(statement, *values)]
    except (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError) as error:
        raise OperationalError(statement, None, error) from error


@cache
def _text_of(query: SelectBase) -> str:
    return str(query.compile(dialect=dialect()))


def _connect_args(application_name: str) -> dict[str, object]:
    return {
        "timeout": _CONNECT_SECONDS,
        "command_timeout": _STATEMENT_SECONDS,
        "server_settings": {"application_name": application_name, "lock_timeout": "4s", **_KEEPALIVE},
    }


def _to_json(value: object) -> str:
    return orjson.dumps(value).decode()


def mark_outbox_written(session: AsyncSession) -> None:
    """Ask for the relay to be woken when this session's transaction has committed."""
    session.info[_WAKE_KEY] = True
