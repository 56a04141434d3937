"""An HTTP server with a scripted app, and callers that send arbitrary bytes. A test controls the server's time."""

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from typing import Any

from starlette.types import Receive, Scope, Send

from mlplace_runtime.process.http.binding import listen
from mlplace_runtime.process.http.limits import HttpLimits
from mlplace_runtime.process.http.server import HttpServer
from mlplace_runtime.web.proof import note_proof, prove

GET = b"GET /plain HTTP/1.1\r\nHost: x\r\n\r\n"
PATIENT = replace(HttpLimits(), look_seconds=3600.0)


class App:
    """An app whose behaviour depends on the path."""

    def __init__(self) -> None:
        self.seen: list[Scope] = []
        self.body = b""
        self.bodies: list[bytes] = []
        self.ended: list[str] = []
        self.started = asyncio.Event()
        self.let = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.seen.append(scope)
        self.started.set()
        if scope["type"] == "websocket":
            try:
                await _echo(receive, send)
            finally:
                self.ended.append("socket")
            return
        match scope["path"]:
            case "/wait":
                await self.let.wait()
            case "/early":
                await self._answer(send, b"early")
                return
            case "/endless":
                await self._endless(receive, send)
                return
            case "/proved":
                prove(scope)
                note_proof(scope, 200)
            case _:
                pass
        if await self._read(receive):
            await self._answer(send, b"ok")

    async def _read(self, receive: Receive) -> bool:
        self.body = b""
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.ended.append("disconnect")
                return False
            self.body += message.get("body", b"")
            if not message.get("more_body"):
                self.bodies.append(self.body)
                return True

    async def _answer(self, send: Send, body: bytes) -> None:
        headers = [(b"content-length", b"%d" % len(body))]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": body})

    async def _endless(self, receive: Receive, send: Send) -> None:
        """Sends until the caller has disconnected."""
        await send({"type": "http.response.start", "status": 200, "headers": []})
        hearing = asyncio.create_task(_until_gone(receive))
        while not hearing.done():
            await send({"type": "http.response.body", "body": b"x" * 65536, "more_body": True})
            await asyncio.sleep(0)
        self.ended.append("endless")


async def _echo(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] == "websocket.receive":
        await send({"type": "websocket.send", "text": message["text"]})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


class Caller:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader = reader
        self.writer = writer
        self._ending: asyncio.Task[bytes] | None = None

    def say(self, data: bytes) -> None:
        self.writer.write(data)

    async def hear(self) -> tuple[int, bytes]:
        """Reads one response. Its body has a Content-Length or is empty."""
        async with asyncio.timeout(60):
            head = await self.reader.readuntil(b"\r\n\r\n")
            length = re.search(rb"content-length: (\d+)", head)
            body = await self.reader.readexactly(int(length[1]) if length else 0)
        return int(head.split()[1]), body

    @property
    def is_over(self) -> bool:
        """Whether the server has ended the connection; its last bytes may still be unread."""
        if self._ending is None:
            self._ending = asyncio.create_task(self.rest())
        return self._ending.done()

    async def refused(self) -> tuple[int, str]:
        """Returns status and code of the refusal that ends the connection."""
        heard = await (self._ending or self.rest())
        head, _, body = heard.partition(b"\r\n\r\n")
        status = int(head.split()[1])
        told: dict[str, Any] = json.loads(body)
        assert set(told) == {"code", "message", "status", "args", "requestId"}
        assert told["status"] == status
        return status, told["code"]

    async def rest(self) -> bytes:
        """Reads until the server closes the connection."""
        heard = bytearray()
        async with asyncio.timeout(60):
            try:
                while part := await self.reader.read(65536):
                    heard += part
            except ConnectionResetError:
                pass
        return bytes(heard)

    async def all_sent(self) -> None:
        """Waits until the data is sent; for data that exceeds the buffers and may be refused."""
        try:
            async with asyncio.timeout(60):
                await self.writer.drain()
        except (ConnectionResetError, BrokenPipeError):
            pass


class Served:
    def __init__(self, limits: HttpLimits = PATIENT, *, trusted_proxies: str = "") -> None:
        self.app = App()
        self._listener = listen("127.0.0.1", 0)
        self.port: int = self._listener.getsockname()[1]
        self.server = HttpServer(self.app, self._listener, limits=limits, trusted_proxies=trusted_proxies)

    @asynccontextmanager
    async def caller(self, address: str = "127.0.0.1") -> AsyncGenerator[Caller]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, local_addr=(address, 0))
        try:
            yield Caller(reader, writer)
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()

    async def passes(self, seconds: float, *, step: float = 1.0) -> None:
        """Lets time pass, in steps of one check each."""
        while seconds > 0:
            self.server.look(min(step, seconds))
            seconds -= step
            await asyncio.sleep(0)

    async def until_over(self, caller: Caller, *, most: float = 5_000.0) -> float:
        """Returns the seconds until the server closes the connection of this silent caller."""
        passed = 0.0
        while not caller.is_over:
            assert passed < most, "the connection goes on"
            self.server.look(1.0)
            passed += 1.0
            await asyncio.sleep(0.001)
        return passed


@asynccontextmanager
async def served(limits: HttpLimits = PATIENT, *, trusted_proxies: str = "") -> AsyncGenerator[Served]:
    made = Served(limits, trusted_proxies=trusted_proxies)
    await made.server.start()
    try:
        yield made
    finally:
        made.app.let.set()
        await made.server.stop()
