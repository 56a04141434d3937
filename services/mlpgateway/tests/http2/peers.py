"""An HTTP/2 client that can break the protocol: it sends exactly the given frames."""

import asyncio
import ssl
from types import TracebackType
from typing import Self

from mlpgateway.http2 import frames, headers
from mlpgateway.http2.frames import Code

_ENDS = 60.0


class Peer:
    """Use it as a context manager."""

    def __init__(
        self,
        port: int,
        *,
        path: str = "/test.Test/echo",
        tls: ssl.SSLContext | None = None,
        address: str = "127.0.0.1",
    ) -> None:
        self._port = port
        self._address = address
        self._tls = tls
        self._path = path
        self._next = 1

    async def __aenter__(self) -> Self:
        self._reader, self._writer = await asyncio.open_connection(
            "127.0.0.1",
            self._port,
            local_addr=(self._address, 0),
            ssl=self._tls,
            server_hostname=self._tls and "127.0.0.1",
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._writer.close()

    def write(self, data: bytes) -> None:
        self._writer.write(data)

    async def flush(self) -> None:
        await self._writer.drain()

    def stop_reading(self) -> None:
        """Leaves what the server sends in the socket, so that it fills the server's memory."""
        self._writer.transport.pause_reading()  # type: ignore[attr-defined]

    def greet(self, *, window: int = 65_535) -> None:
        self.write(frames.PREFACE + frames.settings({frames.SETTING_WINDOW: window}))

    def head(
        self, *, path: str | None = None, flags: int = frames.END_HEADERS, more: tuple[tuple[str, str], ...] = ()
    ) -> int:
        """Sends the headers of a call. Returns its number."""
        number, self._next = self._next, self._next + 2
        fields = [
            (":method", "POST"), (":scheme", "http"), (":path", path or self._path), (":authority", "x"),
            ("content-type", "application/grpc"), ("te", "trailers"), *more,
        ]  # fmt: skip
        self.write(frames.frame(frames.HEADERS, flags, number, headers.encoded(fields)))
        return number

    def data(self, number: int, data: bytes, *, ended: bool = False) -> None:
        for at in range(0, max(1, len(data)), 16_384):
            last = ended and at + 16_384 >= len(data)
            self.write(frames.frame(frames.DATA, frames.END_STREAM if last else 0, number, data[at : at + 16_384]))

    def message(self, number: int, content: bytes, *, claimed: int | None = None, ended: bool = False) -> None:
        self.data(number, frames.prefix(len(content) if claimed is None else claimed) + content, ended=ended)

    async def frame(self) -> tuple[int, int, int, bytes]:
        """Returns the next frame: kind, flags, stream, content. Raises IncompleteReadError at the end."""
        async with asyncio.timeout(_ENDS):
            head = await self._reader.readexactly(frames.HEAD_BYTES)
            content = await self._reader.readexactly(int.from_bytes(head[:3]))
        return head[3], head[4], int.from_bytes(head[5:]) & 0x7FFFFFFF, content

    async def until(self, kind: int, stream: int | None = None) -> tuple[int, bytes]:
        """Returns flags and content of the next frame of this kind."""
        while True:
            found, flags, number, content = await self.frame()
            if found == kind and stream in {None, number}:
                return flags, content

    async def received(self, stream: int, count: int) -> int:
        """Waits for this many bytes of DATA. Returns how many came."""
        got = 0
        while got < count:
            _, content = await self.until(frames.DATA, stream)
            got += len(content)
        return got

    async def answered(self) -> None:
        """Waits until the server has read what was written so far."""
        self.write(frames.frame(frames.PING, 0, 0, b"readyet?"))
        await self.until(frames.PING)

    async def goaway(self) -> Code:
        """Returns the code with which the server closes the connection."""
        while True:
            _, content = await self.until(frames.GOAWAY)
            code = Code(int.from_bytes(content[4:8]))
            if code is not Code.NO_ERROR:
                return code

    async def closed(self) -> None:
        """Waits until the server has closed the connection."""
        async with asyncio.timeout(_ENDS):
            try:
                while await self._reader.read(65_536):
                    pass
            except ConnectionError:
                pass

    async def status(self, stream: int) -> int:
        """Returns the gRPC status of the trailers."""
        while True:
            flags, content = await self.until(frames.HEADERS, stream)
            if flags & frames.END_STREAM:
                found = content.index(b"grpc-status") + len(b"grpc-status")
                return int(content[found + 1 : found + 1 + content[found]])
