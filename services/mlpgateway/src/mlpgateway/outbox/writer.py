"""Group commit: one statement makes the events of many calls durable, and each call waits for its batch."""

import asyncio
from collections import deque
from collections.abc import Iterable, Mapping

from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.ext.asyncio import AsyncConnection

from mlpgateway.errors.calls import UsageNotRecorded
from mlpgateway.metrics import USAGE_BATCH
from mlpgateway.outbox.repository import append_to_outbox
from mlplace_contracts.events import Event
from mlplace_kit.clock import Clock
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import outbox_row
from mlplace_runtime.outage import Outage

_MOST_ROWS = 1000
_MOST_WAITING = 20_000
_LINGER_SECONDS = 0.002
_WRITE_SECONDS = 5.0
_LONGEST_PAUSE_SECONDS = 1.0  # calls that arrive in a pause wait for its end

Row = Mapping[str, object]
_FAILURES = (OSError, TimeoutError, SQLAlchemyError)


class OutboxWriter:
    """Writes to the outbox over its own connection. Run `run` as a task."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._waiting: deque[tuple[Row, asyncio.Future[None]]] = deque()
        self._something = asyncio.Event()
        self._closed = False
        self._outage = Outage("outbox-writer", most_seconds=_LONGEST_PAUSE_SECONDS)

    def add(self, event: Event) -> asyncio.Future[None]:
        """Returns a future that is done when the event is durable; it fails with UsageNotRecorded.

        The event may be written despite the failure, if the database disappeared right after the write.

        Await it through `asyncio.shield`. Raises UsageNotRecorded at once when too many events wait, and after the end.
        """
        if self._closed or len(self._waiting) >= _MOST_WAITING:
            raise UsageNotRecorded
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((outbox_row(event, self._clock), done))
        self._something.set()
        return done

    async def run(self) -> None:
        """Writes until cancelled. When the database is lost, waiting events fail at once, and their calls are free."""
        try:
            while True:
                try:
                    async with self._database.dedicated_connection() as connection:
                        await self._write_forever(connection)
                except _FAILURES as error:
                    self._fail_waiting()
                    await self._outage.wait_after(error)
        finally:
            self._closed = True
            self._fail_waiting()

    async def _write_forever(self, connection: AsyncConnection) -> None:
        company = False
        self._outage.over()
        while True:
            await self._something.wait()
            if company:  # a single call does not wait for others
                await asyncio.sleep(_LINGER_SECONDS)
            batch = [self._waiting.popleft() for _ in range(min(len(self._waiting), _MOST_ROWS))]
            if not self._waiting:
                self._something.clear()
            company = len(batch) > 1
            await self._write(connection, batch)

    async def _write(self, connection: AsyncConnection, batch: list[tuple[Row, asyncio.Future[None]]]) -> None:
        if not batch:
            return
        try:
            async with asyncio.timeout(_WRITE_SECONDS):
                await append_to_outbox(connection, [row for row, _ in batch])
        except BaseException:
            _fail(done for _, done in batch)
            raise
        USAGE_BATCH.observe(len(batch))
        for _, done in batch:
            if not done.done():
                done.set_result(None)
        self._database.outbox_written.set()

    def _fail_waiting(self) -> None:
        _fail(done for _, done in self._waiting)
        self._waiting.clear()
        self._something.clear()


def _fail(waiting: Iterable[asyncio.Future[None]]) -> None:
    for done in waiting:
        if not done.done():
            done.set_exception(UsageNotRecorded())
            done.exception()  # marks it as retrieved: a caller that left never reads it
