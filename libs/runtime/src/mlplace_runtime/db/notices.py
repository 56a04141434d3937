"""Short words between the processes of one service, over their database: heard at once, and when the sender committed.

Whoever does not listen just then never hears them, so that they only spare waiting: what has to be found is in tables,
and somebody looks there from time to time. Behind a pooler that lends connections for a transaction nothing is heard.
"""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, cast

import structlog
from sqlalchemy import event, text
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession
from sqlalchemy.orm import Session

from mlplace_runtime.db.database import Database

_MOST_BYTES: Final = 4000
_CHECK_SECONDS: Final = 30.0
_STATEMENT: Final = text("SELECT pg_notify(:channel, :word)")

log = structlog.get_logger(__name__)

Heard = Callable[[str], None]


class _Listens(Protocol):
    """Of asyncpg's connection."""

    async def add_listener(self, channel: str, callback: Callable[..., None]) -> None: ...

    def add_termination_listener(self, callback: Callable[..., None]) -> None: ...


class Notices:
    """Run `run` beside it."""

    def __init__(self, database: Database, channel: str) -> None:
        self._database = database
        self._channel = channel
        self._listeners: list[Heard] = []
        self.listening = asyncio.Event()

    def watch(self, listener: Heard) -> Callable[[], None]:
        """Call the listener with each word, and with an empty one when some may have been missed. It may not raise.

        Returns what ends that.
        """
        self._listeners.append(listener)
        return lambda: self._listeners.remove(listener)

    async def say(self, session: AsyncSession, word: str) -> None:
        """To all processes when the session's transaction commits. This one hears it in any case, perhaps twice."""
        if len(word.encode()) > _MOST_BYTES:
            raise ValueError("a notice is a short word")
        await session.execute(_STATEMENT, {"channel": self._channel, "word": word})

        def committed(_: Session) -> None:
            self._tell(word)

        event.listen(session.sync_session, "after_commit", committed, once=True)

    async def run(self) -> None:
        """Until cancelled. Raises when the connection is lost: whoever runs it tries again."""
        async with self._database.dedicated_connection() as connection:
            ended = asyncio.Event()
            await self._listen(connection, ended)
            self.listening.set()
            self._tell("")
            try:
                while not await _ends(ended):
                    await connection.execute(text("SELECT 1"))  # a host that is gone says nothing by itself
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
    """Within the time after which one looks."""
    try:
        async with asyncio.timeout(_CHECK_SECONDS):
            return await ended.wait()
    except TimeoutError:
        return False
