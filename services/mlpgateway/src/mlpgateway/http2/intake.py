"""Reads the frames of a connection, a few in each turn of the event loop."""

import asyncio
from collections.abc import Callable

import structlog

from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.framing import FrameReader, TakeFrame

log = structlog.get_logger(__name__)


class Intake:
    """A read of the socket may hold thousands of small frames. The socket is not read while some of them wait."""

    __slots__ = ("_fail", "_frames", "_transport")

    def __init__(self, take: TakeFrame, fail: Callable[[Code, str], None]) -> None:
        self._frames = FrameReader(take)
        self._fail = fail
        self._transport: asyncio.Transport | None = None

    def begin(self, transport: asyncio.Transport) -> None:
        self._transport = transport

    def end(self) -> None:
        """Takes no more frames."""
        self._transport = None

    def feed(self, data: bytes) -> None:
        """Takes the first frames now. A broken rule of the protocol fails the connection."""
        if self._transport is None:
            return
        try:
            self._frames.feed(data)
        except ConnectionFailedError as failure:
            self._fail(failure.code, failure.reason)
            return
        self._wait_for_rest()

    def _wait_for_rest(self) -> None:
        """A frame may have failed the connection: then nothing waits."""
        if self._transport is not None and self._frames.more and not self._transport.is_closing():
            self._transport.pause_reading()
            asyncio.get_running_loop().call_soon(self._go_on)

    def _go_on(self) -> None:
        try:
            self.feed(b"")
        except Exception:
            # Within `data_received`, the event loop would close the transport.
            log.exception("http2_frame_failed")
            self._fail(Code.INTERNAL_ERROR, "a frame could not be handled")
        if self._transport is not None and not (self._frames.more or self._transport.is_closing()):
            self._transport.resume_reading()
