"""Flow control of a connection's outgoing data, for all its calls together (RFC 9113, section 5.2)."""

import asyncio
from collections.abc import Callable
from typing import Final

from mlpgateway.http2 import frames
from mlpgateway.http2.errors import CallerLeft
from mlpgateway.http2.frame_budget import FrameBudget
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.limits import WINDOW_BYTES

HIGH_WATER: Final = 256 * 1024
_MOST_UNSENT: Final = 1024 * 1024


class Outflow:
    """`window` is how many bytes may be sent until the peer enlarges it."""

    __slots__ = (
        "_fail",
        "_frame_budget",
        "_loop",
        "_transport",
        "_waiting",
        "blocked",
        "blocked_since",
        "window",
    )

    def __init__(self, frame_budget: FrameBudget, fail: Callable[[Code, str], None]) -> None:
        """`fail` closes the connection of a peer that does not read."""
        self._loop = asyncio.get_running_loop()
        self._frame_budget = frame_budget
        self._fail = fail
        self._transport: asyncio.Transport | None = None
        self._waiting: set[asyncio.Future[None]] = set()
        self.window = WINDOW_BYTES
        self.blocked = False
        """Whether the transport's buffer is over its high-water mark."""
        self.blocked_since = 0.0

    def begin(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        transport.set_write_buffer_limits(high=HIGH_WATER)

    def end(self) -> None:
        self._transport = None
        self.wake()

    def block(self) -> None:
        self.blocked = True
        self.blocked_since = self._loop.time()

    def go_on(self) -> None:
        self.blocked = False
        self.wake()

    def open_window(self, count: int) -> None:
        """Enlarges the window. Raises ConnectionFailedError."""
        self.window += count
        if self.window > frames.MAX_WINDOW:
            raise ConnectionFailedError(Code.FLOW_CONTROL_ERROR, "a window that is too large")
        self.wake()

    async def sendable(self) -> None:
        """Waits until the connection's window or buffer has room. Raises CallerLeft."""
        if self._transport is None:
            raise CallerLeft
        future = self._loop.create_future()
        self._waiting.add(future)
        try:
            await future
        finally:
            self._waiting.discard(future)

    def send(self, data: bytes) -> None:
        """Sends frames. Trailers and control frames ignore flow control: a peer that reads none is disconnected."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        transport.write(data)
        self._frame_budget.regain()
        if self.blocked and transport.get_write_buffer_size() > _MOST_UNSENT:
            self._fail(Code.ENHANCE_YOUR_CALM, "the answers are not read")

    def answer(self, data: bytes) -> None:
        """Answers a control frame. Raises ConnectionFailedError for a peer that does not read its answers."""
        transport = self._transport
        if transport is None or transport.is_closing():
            return
        if self.blocked and transport.get_write_buffer_size() > _MOST_UNSENT:
            raise ConnectionFailedError(Code.ENHANCE_YOUR_CALM, "the answers are not read")
        transport.write(data)

    def wake(self) -> None:
        for future in self._waiting:
            if not future.done():
                future.set_result(None)
