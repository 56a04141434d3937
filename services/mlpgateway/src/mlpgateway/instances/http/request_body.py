"""Bodies that are sent to an instance in pieces: from the caller's stream or from memory."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from mlpgateway.call.call import Payload

_PIECE: Final = 64 * 1024


class RequestBody:
    """The caller's stream, which can be sent once. Satisfies StreamedBody."""

    def __init__(self, parts: AsyncGenerator[Payload], length: int | None) -> None:
        self._parts = parts
        self.length = length

    async def pieces(self) -> AsyncGenerator[bytes]:
        """Raises the error that ends the stream early."""
        async with aclosing(self._parts):
            async for part in self._parts:
                if part.protobuf:
                    yield part.protobuf


class LargeBody:
    """A body in memory, sent at the pace of the instance: all at once, it would block every other call.

    Satisfies StreamedBody.
    """

    def __init__(self, body: bytes | memoryview) -> None:
        self._view = memoryview(body)
        self.length = len(self._view)

    async def pieces(self) -> AsyncGenerator[memoryview]:
        for at in range(0, len(self._view), _PIECE):
            yield self._view[at : at + _PIECE]
