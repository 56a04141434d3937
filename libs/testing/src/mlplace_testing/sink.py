"""A server that must not be reached; it records connections."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress


class Sink:
    """`reached` is the local address of each connection; `answer` is sent to each."""

    def __init__(self) -> None:
        self.reached: list[str] = []
        self.requests: list[bytes] = []
        self.answer = b"HTTP/1.1 204 No Content\r\n\r\n"
        self.port = 0

    @property
    def connections(self) -> int:
        return len(self.reached)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reached.append(writer.get_extra_info("sockname")[0])
        self.requests.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(self.answer)
        writer.close()


@asynccontextmanager
async def open_sink(address: str = "127.0.0.1", *others: str) -> AsyncGenerator[Sink]:
    """Listens on one port of each address; skips those of `others` that this host does not have."""
    sink = Sink()
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(await asyncio.start_server(sink.serve, address, 0))
        sink.port = server.sockets[0].getsockname()[1]
        for other in others:
            with suppress(OSError):
                await stack.enter_async_context(await asyncio.start_server(sink.serve, other, sink.port))
        yield sink
