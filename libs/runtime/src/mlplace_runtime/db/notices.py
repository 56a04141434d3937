"""Short messages between the processes of one service, sent with PostgreSQL's NOTIFY when the sender commits.

A process that is not listening at that moment misses the message. Notices only shorten waiting: the data is in tables,
which the receivers also poll. Behind a pooler in transaction mode no notice arrives.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Final, Protocol, cast

import structlog
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from mlplace_runtime.db.database import Database, call_after_commit

_MOST_BYTES: Final = 4000
_CHECK_SECONDS: Final = 30.0
_STATEMENT: Final = text("SELECT pg_notify(:channel, :word)")

log = structlog.get_logger(__name__)

Heard = Callable[[str], None]


class _Listens(Protocol):
    """The part of asyncpg's connection that is used here."""

    async def add_listener(self, channel: str, callback: Callable[..., None]) -> None: ...

    def add_termination_listener(self, callback: Callable[..., None]) -> None: ...


class Notices:
    """Sends and receives notices on one channel. Receiving needs `run`."""

    def __init__(self, database: Database, channel: str) -> None:
        self._database = database
        self._channel = channel
        self._listeners: list[Heard] = []
        self.listening = asyncio.Event()

    def watch(self, listener: Heard) -> Callable[[], None]:
        """Calls the listener with each message, and with an empty one when some may have been missed.

        The listener must not raise. Returns a function that removes it.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def say(self, session: AsyncSession, word: str) -> None:
        """Sends the message to all processes on commit. This process gets it in any case, perhaps twice."""
        if len(word.encode()) > _MOST_BYTES:
            raise ValueError(f"the notice is longer than {_MOST_BYTES} bytes")
        await session.execute(_STATEMENT, {"channel": self._channel, "word": word})
        call_after_commit(session, partial(self._tell, word))

    async def run(self) -> None:
        """Runs until cancelled. Raises when the connection is lost; the caller restarts it."""
        async with self._database.dedicated_connection() as connection:
            ended = asyncio.Event()
            await self._listen(connection, ended)
            self.listening.set()
            self._tell("")
            try:
                while not await _ends(ended):
                    await connection.execute(text("SELECT 1"))  # detects a lost host, which sends nothing by itself
            finally:
                self.listening.clear()
        raise ConnectionError("the database has ended the connection for notices")

    async def _listen(self, connection: AsyncConnection, ended: asyncio.Event) -> None:
        def heard(*said: object) -> None:
            self._tell(str(said[-1]))

        raw = cast("_Listens", (await connection.get_raw_connection()).driver_connection)
        raw.add_termination_listener(lambda *_: ended.set())
        await raw.add_listener(self._channel, heard)

    def _tell(self, word: str) -> None:
        for listener in list(self._listeners):
            listener(word)


async def _ends(ended: asyncio.Event) -> bool:
    """Waits until the connection has ended. Returns False after the check interval."""
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            return await ended.wait()
    except TimeoutError:
        return False
