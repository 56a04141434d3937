"""One service's database. All transactions are opened here, and `commit` appears only in this package."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager

import orjson
from sqlalchemy import event, text
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import Session
from sqlalchemy.pool import NullPool

from mlplace_runtime.db.polling import PollingConnection

_WAKE_KEY, _CALLS_KEY, _SIGNALS_KEY = "outbox_written", "after_commit", "signals"
_ANSWERS_WITHIN_SECONDS = 2.0
_CONNECT_SECONDS = 5.0
_STATEMENT_SECONDS = 30.0
# Detects clients whose host is gone: one of them may hold the relay's lock.
_KEEPALIVE = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "3", "tcp_keepalives_count": "3"}
_COPY_ID = text(
    "SELECT system_identifier::text, pg_database.oid::text, 'inbox'::regclass::oid::text"
    " FROM pg_control_system(), pg_database WHERE datname = current_database()"
)


class Database:
    """The engine, its sessions, and the event that wakes the relay for new outbox rows.

    `url` has the form `postgresql+asyncpg://...`; `application_name` appears in `pg_stat_activity`. `engine` is one of
    `engine_for`, which the caller disposes of; without it the database has its own.
    """

    def __init__(
        self, url: str, *, application_name: str, pool_size: int = 8, engine: AsyncEngine | None = None
    ) -> None:
        self.url = url
        self._has_own_engine = engine is None
        self.engine: AsyncEngine = engine or engine_for(url, application_name=application_name, pool_size=pool_size)
        self._application_name = application_name
        self._sessions = async_sessionmaker(self.engine, expire_on_commit=False, autoflush=False)
        self.outbox_written = asyncio.Event()
        self._signals: dict[str, asyncio.Event] = {}
        self.polling = PollingConnection(self.dedicated_connection)

    @asynccontextmanager
    async def transaction(self) -> AsyncGenerator[AsyncSession]:
        """Opens a session in one transaction: commits when the block ends, rolls back when it raises."""
        async with self._sessions() as session:
            event.listen(session.sync_session, "after_commit", self._committed)
            async with session.begin():
                yield session

    @asynccontextmanager
    async def dedicated_connection(self) -> AsyncGenerator[AsyncConnection]:
        """Opens a connection in autocommit mode, outside the pool: for locks that live as long as the connection."""
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

    def signal(self, name: str) -> asyncio.Event:
        """Returns the event that `signal_after_commit` sets in this process. The reader clears it."""
        return self._signals.setdefault(name, asyncio.Event())

    async def answers(self) -> bool:
        try:
            async with asyncio.timeout(_ANSWERS_WITHIN_SECONDS), self.engine.connect() as connection:
                await connection.execute(text("SELECT 1"))
        except (SQLAlchemyError, OSError):  # a TimeoutError is an OSError
            return False
        return True

    async def copy_id(self) -> str:
        """Returns an id of this copy of the data. Recreated tables and a restored dump get another id."""
        async with self.engine.connect() as connection:
            parts = (await connection.execute(_COPY_ID)).one()
        return hashlib.sha256(":".join(parts).encode()).hexdigest()[:12]

    def _committed(self, session: Session) -> None:
        if session.in_nested_transaction():  # a savepoint: nobody else sees its rows yet
            return
        if session.info.pop(_WAKE_KEY, False):
            self.outbox_written.set()
        for name in session.info.pop(_SIGNALS_KEY, ()):
            self.signal(name).set()
        for call in session.info.pop(_CALLS_KEY, ()):
            call()

    async def close(self) -> None:
        await self.polling.close()
        if self._has_own_engine:
            await self.engine.dispose()


def engine_for(url: str, *, application_name: str, pool_size: int = 8) -> AsyncEngine:
    return create_async_engine(
        url,
        pool_size=pool_size,
        max_overflow=4,
        pool_timeout=10,
        pool_pre_ping=True,
        json_serializer=_to_json,
        json_deserializer=orjson.loads,
        hide_parameters=True,  # errors are logged, and the parameters may contain secrets
        connect_args=_connect_args(application_name),
    )


@asynccontextmanager
async def open_database(url: str, *, application_name: str) -> AsyncGenerator[Database]:
    """Opens a database and closes it at the end."""
    database = Database(url, application_name=application_name)
    try:
        yield database
    finally:
        await database.close()


def _connect_args(application_name: str) -> dict[str, object]:
    return {
        "timeout": _CONNECT_SECONDS,
        "command_timeout": _STATEMENT_SECONDS,
        "server_settings": {"application_name": application_name, "lock_timeout": "4s", **_KEEPALIVE},
    }


def _to_json(value: object) -> str:
    return orjson.dumps(value).decode()


def mark_outbox_written(session: AsyncSession) -> None:
    """Requests that the relay be woken once this session's transaction has committed."""
    session.info[_WAKE_KEY] = True


def signal_after_commit(session: AsyncSession, name: str) -> None:
    """Sets the database's signal of this name once this session's transaction has committed."""
    session.info.setdefault(_SIGNALS_KEY, set()).add(name)


def call_after_commit(session: AsyncSession, call: Callable[[], None]) -> None:
    """Calls the function once after this session's transaction has committed. It must not raise.

    Only for sessions of `Database.transaction`. A savepoint that is rolled back does not take the call back.
    """
    session.info.setdefault(_CALLS_KEY, []).append(call)
