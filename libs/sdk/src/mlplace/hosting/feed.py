"""Input that arrives in parts while the author's function already runs."""

import asyncio
from collections.abc import AsyncIterator, Iterator

from mlplace.authoring.payloads import PayloadType
from mlplace_gateproto import gate_pb2


class InputFeed:
    """Parts of one request, readable as an async iterator or, from a worker thread, as a plain one."""

    def __init__(self, item: PayloadType) -> None:
        self._item = item
        self._parts: asyncio.Queue[gate_pb2.PayloadProto | None] = asyncio.Queue()
        self._loop = asyncio.get_running_loop()
        self.finished = False

    def put(self, payload: gate_pb2.PayloadProto) -> None:
        # The finishing part of some callers is empty.
        if payload.WhichOneof("body") is not None:
            self._parts.put_nowait(payload)

    def finish(self) -> None:
        self.finished = True
        self._parts.put_nowait(None)

    async def items(self) -> AsyncIterator[object]:
        while (payload := await self._parts.get()) is not None:
            yield self._item.read(payload, "data")

    def blocking_items(self) -> Iterator[object]:
        """For a function that runs outside the loop's thread."""
        while (payload := asyncio.run_coroutine_threadsafe(self._parts.get(), self._loop).result()) is not None:
            yield self._item.read(payload, "data")
