"""Handles the frames of one connection (RFC 9113, section 6). A frame that breaks the protocol fails the connection."""

from collections.abc import Callable

from mlpgateway.http2 import frames
from mlpgateway.http2.frame_budget import FrameBudget
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.framing import HeaderBlocks, unpadded
from mlpgateway.http2.headers import HeaderReader, Opening
from mlpgateway.http2.inflow import Inflow
from mlpgateway.http2.outflow import Outflow
from mlpgateway.http2.stream_table import StreamTable


class FrameHandlers:
    """`settled`: the peer has sent SETTINGS, which shows that it speaks HTTP/2."""

    __slots__ = (
        "_blocks",
        "_calls",
        "_frame_budget",
        "_handlers",
        "_inflow",
        "_outflow",
        "_reader",
        "_streams",
        "settled",
    )

    def __init__(self, streams: StreamTable, *, inflow: Inflow, outflow: Outflow, frame_budget: FrameBudget) -> None:
        self._streams = streams
        self._calls = streams.calls
        self._inflow = inflow
        self._outflow = outflow
        self._frame_budget = frame_budget
        self._reader = HeaderReader()
        self._blocks = HeaderBlocks()
        self._handlers: dict[int, Callable[[int, int, bytes], None]] = {
            frames.DATA: self._data,
            frames.HEADERS: self._headers,
            frames.PRIORITY: self._priority,
            frames.RST_STREAM: self._reset_by_peer,
            frames.SETTINGS: self._settings,
            frames.PUSH_PROMISE: self._promise,
            frames.PING: self._ping,
            frames.GOAWAY: self._goaway,
            frames.WINDOW_UPDATE: self._window_update,
            frames.CONTINUATION: self._continuation,
        }
        self.settled = False

    def take(self, kind: int, flags: int, number: int, payload: bytes) -> None:
        """Handles one frame. Raises ConnectionFailedError."""
        if self._blocks.unfinished and kind != frames.CONTINUATION:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "another frame within a header block")
        if not self.settled and kind != frames.SETTINGS:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "SETTINGS must come first")
        handle = self._handlers.get(kind)
        if handle is None:
            self._frame_budget.strain()
        else:
            handle(flags, number, payload)

    def _data(self, flags: int, number: int, payload: bytes) -> None:
        count = len(payload)
        self._inflow.came(count)
        call = self._calls.get(number)
        if call is None and (not number or number > self._streams.last):
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "DATA on a stream that was never opened")
        if flags & frames.PADDED:
            payload = unpadded(payload)
        ended = bool(flags & frames.END_STREAM)
        if not payload and not ended:
            self._frame_budget.strain()
        if call is None or call.ended or call.is_over:
            self._inflow.stray(count)
            if call is not None and not call.is_over:
                self._streams.fail(number, Code.STREAM_CLOSED)
            return
        call.receive(payload, count, ended=ended)
        if not call.begun and not call.is_over and call.ready:
            self._streams.begin(call)

    def _headers(self, flags: int, number: int, payload: bytes) -> None:
        if (found := self._blocks.begin(flags, number, payload)) is not None:
            self._opened(number, found[0], ended=found[1])

    def _continuation(self, flags: int, number: int, payload: bytes) -> None:
        if (found := self._blocks.go_on(flags, number, payload)) is not None:
            self._opened(number, found[0], ended=found[1])

    def _opened(self, number: int, block: bytes, *, ended: bool) -> None:
        opening = self._reader.read(block)
        if number > self._streams.last:
            self._streams.open(number, opening, ended=ended)
        else:
            self._trailers(number, opening, ended=ended)

    def _trailers(self, number: int, trailers: Opening, *, ended: bool) -> None:
        """Ends the messages of a call. gRPC clients end them with DATA, but HEADERS would end them, too.

        Those of a stream that is forgotten may have been on their way when its call ended.
        """
        self._frame_budget.strain()
        call = self._calls.get(number)
        if call is None or call.is_over:
            return
        if call.ended:
            self._streams.fail(number, Code.STREAM_CLOSED)
        elif not ended or not trailers.may_trail:
            self._streams.fail(number, Code.PROTOCOL_ERROR)
        else:
            call.receive(b"", 0, ended=True)
            if not call.begun and not call.is_over and call.ready:
                self._streams.begin(call)

    def _priority(self, _flags: int, number: int, payload: bytes) -> None:
        """Priorities have no effect (RFC 9113, section 5.3.2)."""
        if not number:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "PRIORITY on no stream")
        self._frame_budget.strain()
        if len(payload) == 5:
            return
        if number > self._streams.last:
            raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "PRIORITY of a wrong length")
        self._streams.fail(number, Code.FRAME_SIZE_ERROR)

    def _goaway(self, _flags: int, number: int, payload: bytes) -> None:
        """Has no effect: the server opens no streams, and the peer may finish its own."""
        if number:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "GOAWAY on a stream")
        if len(payload) < 8:
            raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "a GOAWAY of a wrong length")
        self._frame_budget.strain()

    def _window_update(self, _flags: int, number: int, payload: bytes) -> None:
        count = int.from_bytes(payload) & 0x7FFFFFFF
        if len(payload) != 4:
            raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "a WINDOW_UPDATE of a wrong length")
        if not count or number > self._streams.last:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "an invalid WINDOW_UPDATE")
        self._frame_budget.strain(0.25)
        if number:
            call = self._calls.get(number)
            if call is not None and not call.open_window(count):
                self._streams.fail(number, Code.FLOW_CONTROL_ERROR)
            return
        self._outflow.open_window(count)

    def _ping(self, flags: int, number: int, payload: bytes) -> None:
        if number:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "PING on a stream")
        if len(payload) != 8:
            raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "a PING of a wrong length")
        if flags & frames.ACK:
            return
        self._frame_budget.strain()
        self._outflow.answer(frames.frame(frames.PING, frames.ACK, 0, payload))

    def _settings(self, flags: int, number: int, payload: bytes) -> None:
        if number:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "SETTINGS on a stream")
        self._frame_budget.strain()
        if flags & frames.ACK:
            if payload:
                raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "an acknowledgement with settings")
            if not self.settled:
                raise ConnectionFailedError(Code.PROTOCOL_ERROR, "SETTINGS must come first")
            return
        self.settled = True
        for name, value in frames.settings_of(payload):
            if name == frames.SETTING_WINDOW:
                self._streams.resize_windows(value)
        self._outflow.answer(frames.frame(frames.SETTINGS, frames.ACK, 0))

    def _reset_by_peer(self, _flags: int, number: int, payload: bytes) -> None:
        if not number or number > self._streams.last:
            raise ConnectionFailedError(Code.PROTOCOL_ERROR, "RST_STREAM on a stream that was never opened")
        if len(payload) != 4:
            raise ConnectionFailedError(Code.FRAME_SIZE_ERROR, "a RST_STREAM of a wrong length")
        self._frame_budget.strain()
        call = self._calls.get(number)
        if call is not None:
            call.ended = True
            call.leave()

    def _promise(self, _flags: int, _number: int, _payload: bytes) -> None:
        raise ConnectionFailedError(Code.PROTOCOL_ERROR, "PUSH_PROMISE from a client")
