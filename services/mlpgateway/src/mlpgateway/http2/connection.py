"""One HTTP/2 connection. It fails when the peer breaks the protocol or demands too much of it."""

import asyncio
from collections.abc import Callable
from typing import Final, Protocol, cast

from mlpgateway.http2 import frames, headers
from mlpgateway.http2.call import Call, Serve
from mlpgateway.http2.closed import ClosedConnections
from mlpgateway.http2.frame_budget import FrameBudget
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.framing import HeaderBlocks, unpadded
from mlpgateway.http2.headers import HeaderReader, Opening
from mlpgateway.http2.incoming import Judge
from mlpgateway.http2.inflow import Inflow
from mlpgateway.http2.intake import Intake
from mlpgateway.http2.limits import HEADERS_BYTES, WINDOW_BYTES, Limits
from mlpgateway.http2.metrics import CALLS_REFUSED
from mlpgateway.http2.outflow import HIGH_WATER, Outflow
from mlpgateway.http2.peer import peer_of
from mlpgateway.http2.room import Room

_FAREWELL_SECONDS: Final = 0.5


class Host(Protocol):
    """The server, as seen by its connections."""

    limits: Limits
    room: Room
    closed: ClosedConnections
    going: bool

    def method(self, path: str) -> tuple[Serve, Judge] | None: ...
    def await_first(self, connection: "Connection", count: int) -> bool: ...
    def proven(self, connection: "Connection") -> None: ...
    def came(self, connection: "Connection") -> None: ...
    def lost(self, connection: "Connection") -> None: ...


class Connection(asyncio.Protocol):
    """Satisfies OutgoingWire."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._reader = HeaderReader()
        self._frames: dict[int, Callable[[int, int, bytes], None]] = {
            frames.DATA: self._data,
            frames.HEADERS: self._headers,
            frames.RST_STREAM: self._reset_by_peer,
            frames.SETTINGS: self._settings,
            frames.PUSH_PROMISE: self._promise,
            frames.PING: self._ping,
            frames.WINDOW_UPDATE: self._window_update,
            frames.CONTINUATION: self._continuation,
        }
        self._intake = Intake(self._frame, self.fail)
        self._blocks = HeaderBlocks()
        self._frame_budget = FrameBudget(host.limits.frame_budget, host.limits.frames_per_second, self._loop.time)
        self.outflow = Outflow(self._frame_budget, self.fail)
        self._inflow = Inflow(self.outflow.send)
        self._settled = False
        self._failed = False
        self._calls: dict[int, Call] = {}
        self._pending: dict[int, Call] = {}
        self._last = 0
        self._last_served = frames.MAX_WINDOW
        self.limits = host.limits
        self.room = host.room
        self.address = ""
        self.peer = ""
        self.is_proven = False
        self.initial_send_window = WINDOW_BYTES
        self.began = self.last_read_at = self._loop.time()
        self.pinged = 0.0

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
        return len(self._calls) == len(self._pending)

    @property
    def closing(self) -> bool:
        return self._failed or self._transport is None or self._transport.is_closing()

    @property
    def settled(self) -> bool:
        """Whether the peer has shown that it speaks HTTP/2."""
        return self._settled

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
        self._transport.write(frames.goaway(self._last, code, reason))
        self._transport.pause_reading()
        self._loop.call_later(_FAREWELL_SECONDS, self.abort)
        self._failed = True
        for call in list(self._calls.values()):
            call.lose()

    def close(self) -> None:
        """Closes the connection without an error; the peer may reconnect."""
        if self._transport is None or self._transport.is_closing():
            return
        self._transport.write(frames.goaway(self._last, Code.NO_ERROR))
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
        self._last_served = self._last
        self.outflow.send(frames.goaway(self._last, Code.NO_ERROR))
        self._close_if_done()

    def stop_calls(self) -> None:
        for call in list(self._calls.values()):
            call.stop()

    def ping(self) -> None:
        self.pinged = self._loop.time()
        self.outflow.send(frames.frame(frames.PING, 0, 0, b"mlplace!"))

    def end_late(self, now: float) -> None:
        """Ends calls whose messages are late, and calls whose answers are not read."""
        try:
            self._end_late(now)
        except ConnectionFailedError as failure:
            self.fail(failure.code, failure.reason)

    def _end_late(self, now: float) -> None:
        for call in [call for call in self._pending.values() if call.late(now)]:
            CALLS_REFUSED.labels("late").inc()
            call.give_up()
            self._begin(call)
        for call in [call for call in self._calls.values() if call.due and call.late(now)]:
            CALLS_REFUSED.labels("slow").inc()
            call.give_up()
        for call in [call for call in self._calls.values() if 0 < call.unread_due < now]:
            CALLS_REFUSED.labels("unread").inc()
            self.reset(call.number, Code.CANCEL)

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
        self.outflow.send(frames.reset(number, code))
        call = self._calls.get(number)
        if call is not None:
            call.lose()

    def forget(self, call: Call) -> None:
        if self._calls.pop(call.number, None) is None:
            return
        self._pending.pop(call.number, None)
        self._inflow.call_ended(call.expected)
        if not call.ended:
            self._inflow.await_stray(call.receive_window)
        self._close_if_done()

    # ---- Frames

    def _frame(self, kind: int, flags: int, number: int, payload: bytes) -> None:
        if self._blocks.unfinished and kind != frames.CONTINUATION:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "another frame within a header block")
        if not self._settled and kind != frames.SETTINGS:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "SETTINGS must come first")
        take = self._frames.get(kind)
        if take is None:  # PRIORITY, GOAWAY, and unknown kinds
            self._frame_budget.strain()
        else:
            take(flags, number, payload)

    def _data(self, flags: int, number: int, payload: bytes) -> None:
        count = len(payload)
        self._inflow.came(count)
        if not number or number > self._last:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "DATA on a stream that was never opened")
        if flags & frames.PADDED:
            payload = unpadded(payload)
        ended = bool(flags & frames.END_STREAM)
        if not payload and not ended:
            self._frame_budget.strain()
        call = self._calls.get(number)
        if call is None or call.ended:
            self._inflow.stray(count)
            return
        call.receive(payload, count, ended=ended)
        if not call.begun and call.ready:
            self._begin(call)

    def _headers(self, flags: int, number: int, payload: bytes) -> None:
        if (found := self._blocks.begin(flags, number, payload)) is not None:
            self._opened(number, found[0], ended=found[1])

    def _continuation(self, flags: int, number: int, payload: bytes) -> None:
        if (found := self._blocks.go_on(flags, number, payload)) is not None:
            self._opened(number, found[0], ended=found[1])

    def _opened(self, number: int, block: bytes, *, ended: bool) -> None:
        opening = self._reader.read(block)
        if number <= self._last:
            self._trailers(number)
            return
        self._last = number
        if number > self._last_served or len(self._calls) >= self.limits.streams:
            self._refuse(number, "streams")
        elif opening.refusal:
            self._decline(number, headers.status_alone(opening.refusal), ended=ended)
        else:
            self._admit(number, opening, ended=ended)

    def _admit(self, number: int, opening: Opening, *, ended: bool) -> None:
        found = self._host.method(opening.path)
        if found is None:
            self._decline(number, headers.NO_METHOD, ended=ended)
            return
        if len(self._pending) >= self.limits.pending:
            self._refuse(number, "pending")
            return
        serve, judge = found
        call = self._calls[number] = Call(self, number, opening, serve, judge)
        call.ended = ended
        if ended:
            self._begin(call)
        else:
            self._pending[number] = call
            call.hold(opening.size)

    def _begin(self, call: Call) -> None:
        self._pending.pop(call.number, None)
        if not self.is_proven:
            self._frame_budget.strain(2)
        call.start()

    def _decline(self, number: int, block: bytes, *, ended: bool) -> None:
        """Answers with headers only."""
        self._frame_budget.strain()
        if not ended:
            self._inflow.await_stray(WINDOW_BYTES)
        self.outflow.answer(frames.frame(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, number, block))

    def _refuse(self, number: int, cause: str) -> None:
        """Refuses a stream. Clients may retry it, because nothing was done with it."""
        CALLS_REFUSED.labels(cause).inc()
        self._frame_budget.strain()
        self._inflow.await_stray(WINDOW_BYTES)
        self.outflow.answer(frames.reset(number, Code.REFUSED_STREAM))

    def _trailers(self, number: int) -> None:
        """Ends the messages of a call. gRPC clients end them with DATA, but HEADERS would end them, too."""
        self._frame_budget.strain()
        call = self._calls.get(number)
        if call is not None and not call.ended:
            call.receive(b"", 0, ended=True)
            if not call.begun:
                self._begin(call)

    def _window_update(self, _flags: int, number: int, payload: bytes) -> None:
        count = int.from_bytes(payload) & 0x7FFFFFFF
        if len(payload) != 4 or not count:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "an invalid WINDOW_UPDATE")
        self._frame_budget.strain(0.25)
        if number:
            call = self._calls.get(number)
            if call is not None and not call.open_window(count):
                self.reset(number, Code.FLOW_CONTROL_ERROR)
            return
        self.outflow.open_window(count)

    def _ping(self, flags: int, _number: int, payload: bytes) -> None:
        if len(payload) != 8:
            raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "a PING of a wrong length")
        if flags & frames.ACK:
            return
        self._frame_budget.strain()
        self.outflow.answer(frames.frame(frames.PING, frames.ACK, 0, payload))

    def _settings(self, flags: int, number: int, payload: bytes) -> None:
        if number:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "SETTINGS on a stream")
        self._settled = True
        self._frame_budget.strain()
        if flags & frames.ACK:
            return
        for name, value in frames.settings_of(payload):
            if name == frames.SETTING_WINDOW:
                self._resize_windows(value)
        self.outflow.answer(frames.frame(frames.SETTINGS, frames.ACK, 0))

    def _resize_windows(self, value: int) -> None:
        if value > frames.MAX_WINDOW:
            raise ConnectionFailedError(Code.FLOW_CONTROL_ERROR, "a window that is too large")
        change, self.initial_send_window = value - self.initial_send_window, value
        for call in list(self._calls.values()):
            if not call.open_window(change):
                raise ConnectionFailedError(Code.FLOW_CONTROL_ERROR, "a window that is too large")

    def _reset_by_peer(self, _flags: int, number: int, payload: bytes) -> None:
        if len(payload) != 4 or not number or number > self._last:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "an invalid RST_STREAM")
        self._frame_budget.strain()
        call = self._calls.get(number)
        if call is not None:
            call.ended = True
            call.leave()

    def _promise(self, _flags: int, _number: int, _payload: bytes) -> None:
        raise ConnectionFailedError(Code.PROTOCOL_ERROR, "PUSH_PROMISE from a client")

    def _close_if_done(self) -> None:
        if self._last_served != frames.MAX_WINDOW and not self._calls and self._transport is not None:
            self._transport.close()
