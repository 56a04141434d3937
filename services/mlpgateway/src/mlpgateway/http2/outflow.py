"""What a connection sends: flow control for all its calls together (RFC 9113, 5.2), and what waits to be read."""

import asyncio
from typing import Final

from mlpgateway.http2 import frames
from mlpgateway.http2.errors import CallerLeft
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.limits import WINDOW_BYTES
from mlpgateway.http2.patience import Patience

_HIGH_WATER: Final = 256 * 1024
_MOST_UNSENT_CONTROL: Final = 1024 * 1024


class Outflow:
    """`window` is what may be sent before the peer says more."""

    __slots__ = ("_loop", "_patience", "_transport", "_waiting", "blocked", "window")

    def __init__(self, patience: Patience) -> None:
        self._loop = asyncio.get_running_loop()
        self._patience = patience
        self._transport: asyncio.Transport | None = None
        self._waiting: set[asyncio.Future[None]] = set()
        self.window = WINDOW_BYTES
        self.blocked = False
        """Whether more is waiting to be sent than should be."""

    def begin(self, transport: asyncio.Transport) -> None:
        self._transport = transport
        transport.set_write_buffer_limits(high=_HIGH_WATER)

    def end(self) -> None:
        self._transport = None
        self.wake()

    def block(self) -> None:
        self.blocked = True

    def go_on(self) -> None:
        self.blocked = False
        self.wake()

    def open_window(self, count: int) -> None:
        """Raises ConnectionFailedError."""
        self.window += count
        if self.window > frames.MAX_WINDOW:
            raise ConnectionFailedError(Code.FLOW_CONTROL_ERROR, "a window that is too large")
        self.wake()

    async def sendable(self) -> None:
        """Wait until more may be sent, as far as the connection goes. Raises CallerLeft."""
        if self._transport is None:
            raise CallerLeft
        future = self._loop.create_future()
        self._waiting.add(future)
        try:
            await future
        finally:
            self._waiting.discard(future)

    def send(self, data: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(data)
            self._patience.regain()

    def answer(self, data: bytes) -> None:
        """To a control frame. Who sends these and reads no answers is not answered for ever.

        Raises ConnectionFailedError.
        """
        if self._transport is None or self._transport.is_closing():
            return
        if self._transport.get_write_buffer_size() > _MOST_UNSENT_CONTROL:
            raise ConnectionFailedError(Code.ENHANCE_YOUR_CALM, "answers that are not read")
        self._transport.write(data)

    def wake(self) -> None:
        for future in self._waiting:
            if not future.done():
                future.set_result(None)
