"""Forwards ports of this machine's loopback to gates whose advertised addresses cannot be reached from here."""

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager

import structlog

from mlplace_agent.listening import LOOPBACK

log = structlog.get_logger(__name__)

_CHUNK = 64 * 1024
_CONNECT_SECONDS = 5.0


@asynccontextmanager
async def forwarding(forwards: Mapping[int, str]) -> AsyncGenerator[None]:
    """Forward each port to its address `host:port`. Raises OSError when a port is in use."""
    async with AsyncExitStack() as stack:
        for port, address in forwards.items():
            forward = _Forward(address)
            server = await asyncio.start_server(forward.pass_on, LOOPBACK, port)
            stack.push_async_callback(forward.end)
            stack.callback(server.close)
        yield


class _Forward:
    def __init__(self, address: str) -> None:
        self._host, _, self._port = address.rpartition(":")
        self._connections: set[asyncio.Task[None]] = set()

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._pass_on(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Copy both ways until either side closes, then close both.

        gRPC never half-closes a connection.
        """
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                far_reader, far_writer = await asyncio.open_connection(self._host, int(self._port))
        except OSError as error:  # TimeoutError is a subclass
            log.warning("forward_failed", host=self._host, port=self._port, error=str(error))
            writer.close()
            return
        ways = [asyncio.create_task(_copy(reader, far_writer)), asyncio.create_task(_copy(far_reader, writer))]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            writer.close()
            far_writer.close()

    async def end(self) -> None:
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError):
        while data := await reader.read(_CHUNK):
            writer.write(data)
            await writer.drain()
