"""Tests which database errors are temporary and which are defects."""

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, OperationalError

from mlplace_kit.errors import InternalError, Unavailable
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.polling import poll
from mlplace_runtime.failures import is_away
from mlplace_runtime.web.errors import from_unexpected


@pytest.mark.parametrize(
    ("state", "told"),
    [
        ("57P01", Unavailable),  # server shuts down
        ("57P03", Unavailable),  # server is starting
        ("53300", Unavailable),  # too many connections
        ("53100", Unavailable),  # disk full
        ("40P01", Unavailable),  # deadlock
        ("55P03", Unavailable),  # lock not available
        ("22012", InternalError),  # division by zero
        ("42501", InternalError),  # permission denied
    ],
)
async def test_an_error_is_classified_by_its_sqlstate(database: Database, state: str, told: type[Exception]) -> None:
    raising = sa.text(f"DO $$ BEGIN RAISE EXCEPTION 'as told' USING ERRCODE = '{state}'; END $$")
    with pytest.raises(DBAPIError) as caught:
        async with database.transaction() as session:
            await session.execute(raising)
    assert type(from_unexpected(caught.value)) is told


class SlowFarewell:
    """A proxy between a client and PostgreSQL that hides the server's closing of the connection."""

    def __init__(self, server: Path) -> None:
        self._server = server
        self.ended = asyncio.Event()
        self._over = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_unix_connection(self._server)
        forward = asyncio.create_task(self._hand_on(reader, far_writer))
        await self._hand_on(far_reader, writer)
        self.ended.set()
        await self._over.wait()
        forward.cancel()
        await asyncio.gather(forward, return_exceptions=True)
        for each in (far_writer, writer):
            each.close()

    async def _hand_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()

    def close(self) -> None:
        self._over.set()


@pytest.fixture
async def farewell(database: Database) -> AsyncGenerator[tuple[SlowFarewell, str]]:
    """Yields the proxy, with the URL of the same database behind it."""
    url = sa.make_url(database.url)
    socket = Path(str(url.query["host"])) / f".s.PGSQL.{url.query['port']}"
    between = SlowFarewell(socket)
    with tempfile.TemporaryDirectory() as folder:
        async with await asyncio.start_unix_server(between.serve, Path(folder) / socket.name):
            moved = url.update_query_dict({"host": folder})
            yield between, moved.render_as_string(hide_password=False)
            between.close()


async def test_a_connection_that_the_server_ends_counts_as_lost(
    database: Database, farewell: tuple[SlowFarewell, str]
) -> None:
    """The driver has received the end and has not closed the connection yet; a query in between fails."""
    between, url = farewell
    behind = Database(url, application_name="test")
    async with behind.dedicated_connection() as connection:
        pid = (await connection.execute(sa.text("SELECT pg_backend_pid()"))).scalar_one()
        async with database.transaction() as session:
            await session.execute(sa.text("SELECT pg_terminate_backend(:pid)"), {"pid": pid})
        await asyncio.wait_for(between.ended.wait(), 60)
        await asyncio.sleep(0.1)  # the driver reads the server's last message
        with pytest.raises(OperationalError):
            await poll(connection, sa.select(sa.literal_column("1")))
        with pytest.raises(DBAPIError) as caught:
            await connection.execute(sa.text("SELECT 1"))
        assert is_away(caught.value)
        assert type(from_unexpected(caught.value)) is Unavailable
        between.close()
    await behind.close()
