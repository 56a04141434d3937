"""A server with one method, and peers that talk to it over real sockets."""

import asyncio
import importlib.util
import ssl
import sys
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType

import pytest

from mlpgateway.http2.call import Call, Serve
from mlpgateway.http2.headers import Metadata
from mlpgateway.http2.limits import Http2Limits
from mlpgateway.http2.room import RequestBytes
from mlpgateway.http2.server import Server
from mlpgateway.shares.share import Fractions, Share
from mlplace_kit.errors import NotAuthorized

MESSAGE = 8 * 1024 * 1024
KEY = b"key-of-7"
HOUR = 3600.0
PATIENT = Http2Limits(
    MESSAGE, unproven_seconds=HOUR, settings_seconds=HOUR, first_message_seconds=HOUR, slack_seconds=HOUR,
    room_seconds=HOUR, unread_seconds=HOUR, ping_seconds=HOUR, ping_timeout_seconds=HOUR,
)  # fmt: skip
"""Nothing is late because this process was slow: a test that is about lateness gives its own limit, or passes a later
time to `Server.end_late`."""


@dataclass
class Served:
    server: Server
    port: int
    room: RequestBytes
    share: Share
    judged: list[bytes]
    cancelled: asyncio.Event
    noted: list[bytes]


@pytest.fixture(scope="session")
def peers() -> ModuleType:
    path = Path(__file__).parent / "peers.py"
    spec = importlib.util.spec_from_file_location("http2_peers", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["http2_peers"] = module
    spec.loader.exec_module(module)
    return module


@asynccontextmanager
async def _serve(
    *, believes: Callable[[str], bool] = lambda _: False, tls: ssl.SSLContext | None = None, **limits: float
) -> AsyncGenerator[Served]:
    judged: list[bytes] = []
    noted: list[bytes] = []
    cancelled = asyncio.Event()

    async def echo(call: Call) -> None:
        """Echoes each message. A message that begins with the key proves its sender."""
        try:
            while (message := await call.read()) is not None:
                if message.startswith(KEY):
                    call.belongs_to(7)
                if message == b"wait":
                    await asyncio.Event().wait()
                await call.write(message)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        except NotAuthorized as error:
            await call.finish(error.code.encode())

    async def judge(beginning: bytes, _metadata: Metadata, _peer: str) -> int:
        judged.append(beginning)
        if not beginning.startswith(KEY):
            raise NotAuthorized
        return 7

    share = Share("request_bytes", 4 * MESSAGE, Fractions())
    room = RequestBytes(share, seconds=HOUR)
    methods = {
        "/test.Test/echo": (echo, judge),
        "/test.Test/handed": (_handed, judge),
        "/test.Test/note": (_noting(noted, cancelled), judge),
    }
    server = Server(methods, replace(PATIENT, **limits), room, believes)  # type: ignore[arg-type]
    port = server.bind("127.0.0.1:0", tls)
    await server.start()
    running = asyncio.create_task(server.run())
    try:
        yield Served(server, port, room, share, judged, cancelled, noted)
    finally:
        running.cancel()
        await server.stop(None)


def _noting(noted: list[bytes], cancelled: asyncio.Event) -> Serve:
    """Returns a method that echoes the first message, and notes those that are handed over after it."""

    async def note(call: Call) -> None:
        await call.write(await call.read() or b"")
        call.hand_to(noted.append)
        try:
            await call.read()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    return note


async def _handed(call: Call) -> None:
    """Echoes messages that are handed over, and tells how each one came."""
    call.hand_to(lambda message: _say_handed(call, message))
    while (message := await call.read()) is not None:
        await call.write(b"read " + message)


def _say_handed(call: Call, message: bytes) -> None:
    assert call.write_at_once(b"handed " + message)
    if message == b"no more":
        call.take_no_more()


@pytest.fixture
def serve():
    return _serve


@pytest.fixture
async def served() -> AsyncGenerator[Served]:
    async with _serve() as running:
        yield running
