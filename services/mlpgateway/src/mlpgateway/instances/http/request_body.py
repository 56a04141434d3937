"""The body of a request to an instance, written in parts: from the caller's stream or from memory."""

from collections.abc import AsyncGenerator
from typing import Final

from aiohttp import Payload as Body
from aiohttp.abc import AbstractStreamWriter

from mlpgateway.call.call import Payload
from mlplace_kit.errors import DomainError

_PIECE: Final = 64 * 1024


class RequestBody(Body):
    """A streamed body, which can be written once. `failure` is the error that ended its source early."""

    _autoclose = True

    def __init__(self, parts: AsyncGenerator[Payload]) -> None:
        super().__init__(parts, content_type="application/octet-stream")
        self._parts = parts
        self.failure: DomainError | None = None

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        del encoding, errors
        raise TypeError("a body that comes in parts is not kept")

    async def write(self, writer: AbstractStreamWriter) -> None:
        await self.write_with_length(writer, None)

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """The length is not checked here: the server that read the body has compared it with Content-Length."""
        del content_length
        self._consumed = True  # the caller's stream cannot be read twice
        try:
            async for part in self._parts:
                if part.protobuf:
                    await writer.write(part.protobuf)
        except DomainError as error:
            self.failure = error
            raise
        finally:
            await self._parts.aclose()


class LargeBody(Body):
    """A body in memory, written at the pace of the instance: all at once, it would block every other call."""

    _autoclose = True

    def __init__(self, body: bytes | memoryview) -> None:
        super().__init__(body, content_type="application/octet-stream")
        self._view = memoryview(body)
        self._size = len(self._view)

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        return str(self._view, encoding, errors)

    async def write(self, writer: AbstractStreamWriter) -> None:
        await self.write_with_length(writer, None)

    async def write_with_length(self, writer: AbstractStreamWriter, content_length: int | None) -> None:
        """The length is not needed: it is the body's own."""
        del content_length
        for at in range(0, len(self._view), _PIECE):
            await writer.write(self._view[at : at + _PIECE])
