"""A scripted instance on 127.0.0.1, the client under both event loops, and a check that nothing is left over."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from ipaddress import ip_network
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import uvloop

from mlpgateway.egress.rules import EgressRules
from mlpgateway.instances.http.client.address import Address
from mlpgateway.instances.http.client.client import HttpClient
from mlpgateway.instances.http.client.limits import PoolLimits
from mlpgateway.instances.http.client.pool import Pool
from mlpgateway.instances.http.client.response import Response
from mlplace_testing.waiting import eventually

LOOPS = [uvloop.new_event_loop, asyncio.new_event_loop]
LOCAL = EgressRules([ip_network("127.0.0.0/8")])
Script = Callable[["Visit"], Awaitable[None]]


class Visit:
    """One connection that an instance accepted. `number` counts them from 0."""

    def __init__(self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.number = number
        self.reader = reader
        self.writer = writer

    async def request(self) -> bytes:
        """Reads one request with its body of known length. Raises IncompleteReadError when the gate has left."""
        head = await self.reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        length = next((int(line[15:]) for line in lines if line.startswith(b"content-length:")), 0)
        return head + await self.reader.readexactly(length)

    async def say(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def say_slowly(self, data: bytes, size: int = 1) -> None:
        """Each piece is a segment of its own."""
        for at in range(0, len(data), size):
            await self.say(data[at : at + size])
            await asyncio.sleep(0)

    async def gone(self) -> None:
        """Waits until the gate closes the connection."""
        with suppress(ConnectionError):
            while await self.reader.read(65536):
                pass


class Peer:
    """An instance that follows a script for each connection. `visits` are the connections in order."""

    def __init__(self, script: Script) -> None:
        self._script = script
        self.visits: list[Visit] = []
        self.errors: list[BaseException] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visit = Visit(len(self.visits), reader, writer)
        self.visits.append(visit)
        try:
            await self._script(visit)
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        except Exception as error:  # noqa: BLE001  a broken script must fail its test
            self.errors.append(error)
        finally:
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()


@asynccontextmanager
async def meeting(script: Script, **limits: Any) -> AsyncGenerator[SimpleNamespace]:
    """Yields the peer, its pool and its client. Fails if the client leaves a task, a timer or an open file."""
    peer = Peer(script)
    before = len(asyncio.all_tasks())
    server = await asyncio.start_server(peer.serve, "127.0.0.1", 0)
    files = open_files()
    client = HttpClient(LOCAL, any_port=True, limits=PoolLimits(**limits))
    pool = client.pool(Address("127.0.0.1", server.sockets[0].getsockname()[1], trusted=True))
    try:
        yield SimpleNamespace(peer=peer, pool=pool, client=client, address=pool._address)
    finally:
        await client.close()
        assert (len(pool), pool._timer, pool.take()) == (0, None, None)
        await until(lambda: len(asyncio.all_tasks()) <= before and open_files() <= files)
        server.close()
        await server.wait_closed()
    assert peer.errors == []


def open_files() -> set[str]:
    return {file.name for file in Path("/proc/self/fd").iterdir()}


async def body_of(response: Response) -> bytes:
    body = b""
    while piece := await response.piece():
        body += piece
    await response.close()
    return body


async def until(probe: Callable[[], object]) -> None:
    async def look() -> bool:
        return bool(probe())

    await eventually(look, seconds=60)


class Recorder:
    """An AnswerHandler that keeps what it is told."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: tuple[tuple[bytes, bytes], ...] = ()
        self.length: int | None = None
        self.body = bytearray()
        self.ended = 0
        self.error: Exception | None = None
        self.on_head: Callable[[], None] = lambda: None
        self.on_end: Callable[[], None] = lambda: None

    def head(self, status: int, headers: tuple[tuple[bytes, bytes], ...], length: int | None) -> None:
        assert not self.status
        self.status, self.headers, self.length = status, headers, length
        self.on_head()

    def part(self, data: bytes) -> None:
        assert self.status
        assert data
        self.body += data

    def end(self) -> None:
        self.ended += 1
        self.on_end()

    def failed(self, error: Exception) -> None:
        self.error = error

    @property
    def over(self) -> bool:
        return bool(self.ended or self.error)


@pytest.fixture(params=LOOPS, ids=["uvloop", "asyncio"])
def run(request) -> Callable[[Callable[[], Awaitable[None]]], None]:
    def within(test: Callable[[], Awaitable[None]]) -> None:
        with asyncio.Runner(loop_factory=request.param) as runner:
            runner.run(asyncio.wait_for(test(), 100))

    return within


@pytest.fixture
def tools() -> SimpleNamespace:
    """Provides the helpers of this file: tests cannot import conftest."""
    return SimpleNamespace(meeting=meeting, body_of=body_of, until=until, Recorder=Recorder, LOCAL=LOCAL, Pool=Pool)
