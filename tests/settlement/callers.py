"""Raw clients that can disconnect at any time and see each part as it arrives."""

import asyncio
import json
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

from tests.settlement.case import PREDICT, Case, Path

_SECONDS = 60


@dataclass
class Caller:
    """One request on its own connection."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    async def hears(self, text: str) -> str:
        """Everything received, once it contains the text."""
        heard = b""
        async with asyncio.timeout(_SECONDS):
            while text.encode() not in heard:
                data = await self.reader.read(65536)
                if not data:
                    raise ConnectionResetError(heard.decode())
                heard += data
        return heard.decode()

    async def hears_the_end(self) -> str:
        async with asyncio.timeout(_SECONDS):
            return (await self.reader.read()).decode()

    async def hears_what_is_left(self) -> str:
        """Like `hears_the_end`, for a connection that may have broken."""
        try:
            return await self.hears_the_end()
        except ConnectionError:
            return ""

    def hang_up(self) -> None:
        self.writer.transport.abort()


@asynccontextmanager
async def calling(case: Case, path: Path = PREDICT, **headers: str) -> AsyncGenerator[Caller]:
    """Send the request. `headers` have underscores for hyphens."""
    address = urlsplit(path.url(case.installation.gateway.url, case.owner, case.model))
    body = json.dumps(path.body)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    head = f"POST {address.path} HTTP/1.1\r\nHost: gateway\r\nMLP-API-KEY: {case.key}\r\nConnection: close\r\n"
    head += "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    writer.write(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
    await writer.drain()
    try:
        yield Caller(reader, writer)
    finally:
        writer.transport.abort()
