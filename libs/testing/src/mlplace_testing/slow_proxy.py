"""A proxy that makes a server look slow: requests pass at once, answers arrive late."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

Address = Path | tuple[str, int]
"""A Unix socket, or a host and a port."""
_CHUNK = 64 * 1024


class SlowProxy:
    """Forwards between clients and one server. `slow_down` and `speed_up` also affect data in transit.

    No data is lost and no connection ends: the server has done its work, only its answers are late.
    """

    def __init__(self, server: Address) -> None:
        self._server = server
        self._seconds = 0.0
        self._changed = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.held = 0
        """Bytes of the server that are held back now."""
        self.slowed = 0
        """Bytes that the server sent while slowed down."""

    def slow_down(self, seconds: float) -> None:
        """Delays each byte of the server by this many seconds."""
        self._seconds = seconds
        self._tell()

    def speed_up(self) -> None:
        """Releases everything that was held back."""
        self.slow_down(0.0)

    def _tell(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one client in a separate task, because asyncio complains about its own tasks that are cancelled."""
        task = asyncio.create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            server_reader, server_writer = await _connect(self._server)
        except OSError:
            writer.close()
            return
        except asyncio.CancelledError:
            writer.close()
            raise
        ways = [
            asyncio.create_task(_hand_on(reader, server_writer)),
            asyncio.create_task(self._hand_on_late(server_reader, writer)),
        ]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            for end in (server_writer, writer):
                end.close()
            await asyncio.gather(*ways, *(end.wait_closed() for end in (server_writer, writer)), return_exceptions=True)

    async def _hand_on_late(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        said: deque[tuple[float, bytes]] = deque()
        more = asyncio.Event()
        reading = asyncio.create_task(self._listen(reader, said, more))
        try:
            while True:
                await more.wait()
                more.clear()
                while said:
                    await self._until_due(said[0][0])
                    data = said.popleft()[1]
                    self.held -= len(data)
                    if not data:
                        return
                    writer.write(data)
                    await writer.drain()
        finally:
            self.held -= sum(len(data) for _, data in said)
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _listen(
        self, reader: asyncio.StreamReader, said: deque[tuple[float, bytes]], more: asyncio.Event
    ) -> None:
        """Reads until the end of the stream, which is queued, too."""
        data = b"?"
        while data:
            try:
                data = await reader.read(_CHUNK)
            except OSError:
                data = b""
            said.append((asyncio.get_running_loop().time(), data))
            self.held += len(data)
            self.slowed += len(data) if self._seconds else 0
            more.set()

    async def _until_due(self, since: float) -> None:
        while (left := since + self._seconds - asyncio.get_running_loop().time()) > 0:
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._changed.wait()

    async def close(self) -> None:
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _hand_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while data := await reader.read(_CHUNK):
        writer.write(data)
        await writer.drain()


async def _connect(address: Address) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    if isinstance(address, Path):
        return await asyncio.open_unix_connection(address)
    return await asyncio.open_connection(*address)


@asynccontextmanager
async def slow_proxy(listen: Address, server: Address) -> AsyncGenerator[SlowProxy]:
    """Opens a proxy without delay. The port in `listen` must not be 0, since the chosen port is not returned."""
    proxy = SlowProxy(server)
    if isinstance(listen, Path):
        opened = await asyncio.start_unix_server(proxy.serve, listen)
    else:
        opened = await asyncio.start_server(proxy.serve, *listen)
    try:
        yield proxy
    finally:
        opened.close()
        await proxy.close()
        await opened.wait_closed()
