"""Raw clients that can disconnect at any time and see each part as it arrives."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from tests.settlement.case import Case
from tests.settlement.paths import PREDICT, Path

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
                    raise ConnectionResetError(heard.decode(errors="replace"))
                heard += data
        return heard.decode(errors="replace")

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
    url = path.url(case.installation.gateway.url, case.owner, case.model)
    request = case.installation.client.build_request(path.method, url, **path.content(case.owner, case.model))
    body = request.read()
    sent = {
        "Host": "gateway", "MLP-API-KEY": case.key, "Connection": "close", "Content-Length": str(len(body)),
        "Content-Type": request.headers.get("content-type", "application/json"),
        **{name.replace("_", "-"): value for name, value in headers.items()},
    }  # fmt: skip
    head = f"{path.method} {request.url.raw_path.decode()} HTTP/1.1\r\n"
    head += "".join(f"{name}: {value}\r\n" for name, value in sent.items())
    reader, writer = await asyncio.open_connection(request.url.host, request.url.port)
    writer.write(f"{head}\r\n".encode() + body)
    await writer.drain()
    try:
        yield Caller(reader, writer)
    finally:
        writer.transport.abort()
