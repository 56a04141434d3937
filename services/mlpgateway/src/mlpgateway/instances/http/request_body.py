"""A request's body on its way to an instance, part by part: as it comes in, or out of what is here."""

from collections.abc import AsyncGenerator
from typing import Final

from aiohttp import Payload as Body
from aiohttp.abc import AbstractStreamWriter

from mlpgateway.call.call import Payload
from mlplace_kit.errors import DomainError

_PIECE: Final = 64 * 1024


class RequestBody(Body):
    """Written once. `failure` is why its source stopped before its end."""

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
        """The caller's server has seen to it that the length is the one that was told."""
        del content_length
        self._consumed = True  # what was read from the caller cannot be read again
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
    """Written as fast as the instance reads, not all at once: that would keep every other call waiting."""

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
        """The length is the one that it has told itself."""
        del content_length
        for at in range(0, len(self._view), _PIECE):
            await writer.write(self._view[at : at + _PIECE])
