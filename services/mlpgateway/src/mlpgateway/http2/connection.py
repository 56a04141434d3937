"""One HTTP/2 connection. It fails when the peer breaks the protocol or demands too much of it."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, cast

from mlpgateway.http2 import frames
from mlpgateway.http2.call import Call, Serve
from mlpgateway.http2.closed import ClosedConnections
from mlpgateway.http2.frame_budget import FrameBudget
from mlpgateway.http2.frame_handlers import FrameHandlers
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.incoming import Judge
from mlpgateway.http2.inflow import Inflow
from mlpgateway.http2.intake import Intake
from mlpgateway.http2.limits import HEADERS_BYTES, WINDOW_BYTES, Http2Limits
from mlpgateway.http2.outflow import HIGH_WATER, Outflow
from mlpgateway.http2.peer import peer_of
from mlpgateway.http2.room import RequestBytes
from mlpgateway.http2.stream_table import StreamTable

_FAREWELL_SECONDS: Final = 0.5


class Host(Protocol):
    """The server, as seen by its connections."""

    limits: Http2Limits
    room: RequestBytes
    closed: ClosedConnections
    going: bool

    def method(self, path: str) -> tuple[Serve, Judge] | None: ...
    def await_first(self, connection: "Http2Connection", count: int) -> bool: ...
    def proven(self, connection: "Http2Connection") -> None: ...
    def came(self, connection: "Http2Connection") -> None: ...
    def lost(self, connection: "Http2Connection") -> None: ...


class Http2Connection(asyncio.Protocol):
    """Satisfies OutgoingWire."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._frame_budget = FrameBudget(host.limits.frame_budget, host.limits.frames_per_second, self._loop.time)
        self._failed = False
        self.limits = host.limits
        self.room = host.room
        self.address = ""
        self.peer = ""
        self.is_proven = False
        self.initial_send_window = WINDOW_BYTES
        self.began = self.last_read_at = self._loop.time()
        self.pinged = 0.0
        self.outflow = Outflow(self._frame_budget, self.fail)
        self._inflow = Inflow(self.outflow.send)
        self._streams = StreamTable(
            self, method=host.method, inflow=self._inflow, frame_budget=self._frame_budget, close=self._hang_up
        )
        self._calls = self._streams.calls
        self.forget: Callable[[Call], None] = self._streams.forget
        self._handlers = FrameHandlers(
            self._streams, inflow=self._inflow, outflow=self.outflow, frame_budget=self._frame_budget
        )
        self._intake = Intake(self._handlers.take, self.fail)

    # ---- For asyncio

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self.outflow.begin(self._transport)
        self._intake.begin(self._transport)
        self.address, self.peer = peer_of(transport)
        self._host.came(self)
        own = {
            frames.SETTING_MAX_STREAMS: self.limits.streams,
            frames.SETTING_MAX_HEADERS: HEADERS_BYTES,
        }
        self._transport.write(frames.settings(own))
        if self.is_proven:
            self._inflow.widen()
        if self._host.going:
            self.end()

    def data_received(self, data: bytes) -> None:
        self.last_read_at = self._loop.time()
        self.pinged = 0.0  # any data proves that the peer is there
        self._intake.feed(data)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002  the cause makes no difference
        self._transport = None
        self._intake.end()
        for call in list(self._calls.values()):
            call.leave()
        self.outflow.end()
        self._host.lost(self)

    def pause_writing(self) -> None:
        self.outflow.block()

    def resume_writing(self) -> None:
        self.outflow.go_on()

    # ---- For the server

    @property
    def calls(self) -> int:
        return len(self._calls)

    @property
    def idle(self) -> bool:
        """Whether no call is being served."""
        return self._streams.idle

    @property
    def closing(self) -> bool:
        return self._failed or self._transport is None or self._transport.is_closing()

    @property
    def settled(self) -> bool:
        """Whether the peer has shown that it speaks HTTP/2."""
        return self._handlers.settled

    def unread(self, now: float) -> bool:
        """Returns whether sent data has been left unread for too long."""
        seconds = self.limits.unread_seconds + HIGH_WATER / self.limits.least_read_rate
        return self.outflow.blocked and self.outflow.blocked_since + seconds < now

    def fail(self, code: Code, reason: str) -> None:
        """Closes the connection with this error."""
        if self._failed:
            return
        self._host.closed.note(code, reason, self.peer)
        self._intake.end()
        if self._transport is None or self._transport.is_closing():
            return
        # Closing a socket with unread input discards written data, here the reason. So it is closed a moment later.
        self._transport.write(frames.goaway(self._streams.last, code, reason))
        self._transport.pause_reading()
        self._loop.call_later(_FAREWELL_SECONDS, self.abort)
        self._failed = True
        for call in list(self._calls.values()):
            call.lose()

    def close(self) -> None:
        """Closes the connection without an error; the peer may reconnect."""
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.write(frames.goaway(self._streams.last, Code.NO_ERROR))
        self._loop.call_later(_FAREWELL_SECONDS, self.abort)
        self._transport.close()

    def abort(self) -> None:
        if self._transport is not None:
            self._transport.abort()

    def announce_end(self) -> None:
        """Asks the peer to make new calls elsewhere. Calls already on their way are still served until `end`."""
        self.outflow.send(frames.goaway(frames.MAX_WINDOW, Code.NO_ERROR))

    def end(self) -> None:
        """Closes the connection when its calls are done."""
        self._streams.end()

    def stop_calls(self) -> None:
        for call in list(self._calls.values()):
            call.stop()

    def ping(self) -> None:
        self.pinged = self._loop.time()
        self.outflow.send(frames.frame(frames.PING, 0, 0, b"mlplace!"))

    def end_late(self, now: float) -> None:
        """Ends calls whose messages are late, and calls whose answers are not read."""
        try:
            self._streams.end_late(now)
        except ConnectionFailedError as failure:
            self.fail(failure.code, failure.reason)

    def _hang_up(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # ---- For calls

    def credit(self, count: int) -> None:
        self._inflow.credit(count)

    def expect(self, number: int, count: int) -> None:
        self._inflow.expect(number, count)

    def announce(self, number: int, count: int) -> None:
        self.outflow.send(frames.window_update(number, count))

    def await_first(self, count: int) -> None:
        if not self._host.await_first(self, count):
            raise ConnectionFailedError(Code.ENHANCE_YOUR_CALM, "too many bytes of unfinished first messages")

    def prove(self) -> None:
        if not self.is_proven:
            self.trust()
            self._inflow.widen()
            self._host.proven(self)

    def trust(self) -> None:
        self.is_proven = self._frame_budget.trusted = True

    def reset(self, number: int, code: Code) -> None:
        self._streams.reset(number, code)

    def fail_stream(self, number: int, code: Code) -> None:
        self._streams.fail(number, code)
