"""Raw TCP connections from a chosen source address, for requests that normal clients cannot send."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Any

STRANGER = "127.0.0.2"
"""The attackers' address; the bystander's is 127.0.0.1. Linux routes all of 127.0.0.0/8 to the loopback interface."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def code(self) -> str:
        """The code of an error of the platform."""
        return str(json.loads(self.body)["code"])

    def json(self) -> Any:
        return json.loads(self.body)


class Wire:
    """One TCP connection. Writes never fail; a later read shows whether the other side still listens."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    async def say(self, data: bytes) -> bool:
        """Returns False if the other side has closed the connection."""
        if self._writer.is_closing():
            return False
        with contextlib.suppress(ConnectionError):
            self._writer.write(data)
            await self._writer.drain()
            return True
        return False

    async def heard(self, seconds: float = 30.0) -> bytes:
        """Everything until the other side closes. Raises TimeoutError if it does not close."""
        heard = bytearray()
        async with asyncio.timeout(seconds):
            with contextlib.suppress(ConnectionError):
                while part := await self._reader.read(65536):
                    heard += part
        return bytes(heard)

    async def until(self, mark: bytes, seconds: float = 30.0) -> bytes:
        """Data up to and including `mark`. Raises TimeoutError, IncompleteReadError."""
        async with asyncio.timeout(seconds):
            return await self._reader.readuntil(mark)

    async def part(self, size: int, seconds: float = 30.0) -> bytes:
        """Exactly `size` bytes. Raises TimeoutError, IncompleteReadError."""
        async with asyncio.timeout(seconds):
            return await self._reader.readexactly(size)

    async def ended(self, seconds: float = 30.0) -> bool:
        """Whether the other side closes the connection within `seconds`."""
        with contextlib.suppress(TimeoutError):
            await self.heard(seconds)
            return True
        return False

    async def answer(self, seconds: float = 30.0) -> Answer:
        """The answer of a server that closes the connection after it."""
        return parse(await self.heard(seconds))

    def close(self) -> None:
        self._writer.close()

    def abort(self) -> None:
        """Discard unsent data: a peer that does not read would keep the connection open."""
        self._writer.transport.abort()


@contextlib.asynccontextmanager
async def connected(port: int, *, source: str = STRANGER) -> AsyncGenerator[Wire]:
    wire = await connect(port, source=source)
    try:
        yield wire
    finally:
        wire.close()


async def connect(port: int, *, source: str = STRANGER) -> Wire:
    """Raises OSError."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(source, 0))
    return Wire(reader, writer)


def head(method: str, target: str, *lines: str, host: str = "localhost") -> bytes:
    """The complete request line and headers of HTTP/1.1."""
    text = "\r\n".join((f"{method} {target} HTTP/1.1", f"Host: {host}", *lines, "", ""))
    return text.encode("latin-1")


def parse(heard: bytes) -> Answer:
    first, _, body = heard.partition(b"\r\n\r\n")
    line, *lines = first.decode("latin-1").split("\r\n")
    pairs = (text.partition(":") for text in lines)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    return Answer(int(line.split()[1]) if line else 0, headers, body)
