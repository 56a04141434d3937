"""Streamed input that arrives while the author's function already runs."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator

from mlplace.authoring.payloads import PayloadType
from mlplace.errors import CallCancelledError
from mlplace_gateproto import gate_pb2
from mlplace_gateproto.flow import ReceiveWindow


class InputFeed:
    """Parts of one request, readable as an async iterator or, from a worker thread, as a plain one."""

    def __init__(self, item: PayloadType, tell: Callable[[int], None] | None = None) -> None:
        """``tell`` reports to the gate how much the function has read; without it there is no flow control."""
        self._item = item
        self._parts: asyncio.Queue[tuple[gate_pb2.PayloadProto | None, int]] = asyncio.Queue()
        self._taken = ReceiveWindow(tell) if tell is not None else None
        self._loop = asyncio.get_running_loop()
        self._cancelled = False
        self.finished = False

    def put(self, payload: gate_pb2.PayloadProto, size: int = 0) -> None:
        """``size`` is the size of the whole message in bytes."""
        if _has_data(payload):
            self._parts.put_nowait((payload, size))
        else:
            self._took(size)

    def finish(self) -> None:
        self.finished = True
        self._parts.put_nowait((None, 0))

    def cancel(self) -> None:
        """Makes readers raise CallCancelledError, so that they do not take partial input for the whole."""
        self._cancelled = True
        self.finish()

    async def items(self) -> AsyncIterator[object]:
        while (payload := await self._next()) is not None:
            yield self._item.read(payload, "data")

    def blocking_items(self) -> Iterator[object]:
        """For a function that runs in another thread."""
        while (payload := asyncio.run_coroutine_threadsafe(self._next(), self._loop).result()) is not None:
            yield self._item.read(payload, "data")

    async def only(self) -> gate_pb2.PayloadProto | None:
        """Returns the only part, once the input has ended: None if there is none, or as soon as there are two."""
        first = await self._next()
        return first if first is not None and await self._next() is None else None

    async def _next(self) -> gate_pb2.PayloadProto | None:
        payload, size = await self._parts.get()
        if self._cancelled:
            raise CallCancelledError
        if payload is not None:
            self._took(size)
        return payload

    def _took(self, size: int) -> None:
        if self._taken is not None:
            self._taken.took(size)


def _has_data(payload: gate_pb2.PayloadProto) -> bool:
    """Some callers end their input with a part without data, which older gates pass on as an empty text."""
    kind = payload.WhichOneof("body")
    return kind == "protobuf" or (kind == "json" and payload.json != "")
