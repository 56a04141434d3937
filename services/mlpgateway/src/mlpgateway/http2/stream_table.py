"""The streams of one connection: which of them become calls, and when these begin and end."""

from collections.abc import Callable

from mlpgateway.http2 import frames, headers
from mlpgateway.http2.call import Call, OutgoingWire, Serve
from mlpgateway.http2.frame_budget import FrameBudget
from mlpgateway.http2.frames import Code, ConnectionFailedError
from mlpgateway.http2.headers import Opening
from mlpgateway.http2.incoming import Judge
from mlpgateway.http2.inflow import Inflow
from mlpgateway.http2.limits import WINDOW_BYTES, Http2Limits
from mlpgateway.http2.metrics import CALLS_REFUSED
from mlpgateway.http2.outflow import Outflow

FindMethod = Callable[[str], tuple[Serve, Judge] | None]
"""Returns the method of a path; None when there is none."""


class StreamTable:
    """`calls` holds the open calls by stream id; only this class changes it. `last` is the last stream opened."""

    __slots__ = (
        "_close",
        "_frame_budget",
        "_inflow",
        "_last_served",
        "_limits",
        "_method",
        "_outflow",
        "_pending",
        "_wire",
        "calls",
        "last",
    )

    def __init__(
        self,
        wire: OutgoingWire,
        *,
        method: FindMethod,
        inflow: Inflow,
        frame_budget: FrameBudget,
        close: Callable[[], None],
    ) -> None:
        """`close` closes the connection, after `end`, when its calls are done."""
        self._wire = wire
        self._method = method
        self._inflow = inflow
        self._outflow: Outflow = wire.outflow
        self._frame_budget = frame_budget
        self._close = close
        self._limits: Http2Limits = wire.limits
        self._pending: dict[int, Call] = {}
        self._last_served = frames.MAX_WINDOW
        self.calls: dict[int, Call] = {}
        self.last = 0

    @property
    def idle(self) -> bool:
        """Whether no call is being served: all of them still wait for their first message."""
        return len(self.calls) == len(self._pending)

    def open(self, number: int, opening: Opening, *, ended: bool) -> None:
        """Opens a call, or refuses its stream. Raises ConnectionFailedError."""
        self.last = number
        if number > self._last_served or len(self.calls) >= self._limits.streams:
            self._refuse(number, "streams")
        elif opening.malformed or (ended and opening.length):
            self._frame_budget.strain()
            self._inflow.await_stray(0 if ended else WINDOW_BYTES)
            self._outflow.answer(frames.reset(number, Code.PROTOCOL_ERROR))
        elif opening.refusal:
            self._decline(number, headers.status_alone(opening.refusal), ended=ended)
        elif (found := self._method(opening.path)) is None:
            self._decline(number, headers.NO_METHOD, ended=ended)
        elif len(self._pending) >= self._limits.pending:
            self._refuse(number, "pending")
        else:
            serve, judge = found
            call = self.calls[number] = Call(self._wire, number, opening, serve, judge)
            call.ended = ended
            if ended:
                self.begin(call)
            else:
                self._pending[number] = call
                call.hold(opening.size)

    def begin(self, call: Call) -> None:
        """Runs the method of a call. Raises ConnectionFailedError when an unproven peer calls too often."""
        self._pending.pop(call.number, None)
        if not self._wire.is_proven:
            self._frame_budget.strain(2)
        call.start()

    def _decline(self, number: int, block: bytes, *, ended: bool) -> None:
        """Answers with headers only."""
        self._frame_budget.strain()
        if not ended:
            self._inflow.await_stray(WINDOW_BYTES)
        self._outflow.answer(frames.frame(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, number, block))

    def _refuse(self, number: int, cause: str) -> None:
        """Refuses a stream. Clients may retry it, because nothing was done with it."""
        CALLS_REFUSED.labels(cause).inc()
        self._frame_budget.strain()
        self._inflow.await_stray(WINDOW_BYTES)
        self._outflow.answer(frames.reset(number, Code.REFUSED_STREAM))

    def resize_windows(self, size: int) -> None:
        """Sets the send window of new calls, and resizes those of open calls. Raises ConnectionFailedError."""
        if size > frames.MAX_WINDOW:
            raise ConnectionFailedError(Code.FLOW_CONTROL_ERROR, "a window that is too large")
        change, self._wire.initial_send_window = size - self._wire.initial_send_window, size
        for call in list(self.calls.values()):
            if not call.open_window(change):
                raise ConnectionFailedError(Code.FLOW_CONTROL_ERROR, "a window that is too large")

    def reset(self, number: int, code: Code) -> None:
        self._outflow.send(frames.reset(number, code))
        call = self.calls.get(number)
        if call is not None:
            call.lose()

    def fail(self, number: int, code: Code) -> None:
        """Resets a stream on which the peer broke the protocol.

        Raises ConnectionFailedError if it does so often: it would cost the peer as little as resetting streams itself.
        """
        call = self.calls.get(number)
        self._frame_budget.strain(2 if call is not None and call.begun else 1)
        self._outflow.answer(frames.reset(number, code))
        if call is not None:
            call.lose()

    def end_late(self, now: float) -> None:
        """Ends calls whose messages are late, and calls whose answers are not read. Raises ConnectionFailedError."""
        for call in [call for call in self._pending.values() if call.late(now)]:
            CALLS_REFUSED.labels("late").inc()
            call.give_up()
            self.begin(call)
        for call in [call for call in self.calls.values() if call.due and call.late(now)]:
            CALLS_REFUSED.labels("slow").inc()
            call.give_up()
        for call in [call for call in self.calls.values() if 0 < call.unread_due < now]:
            CALLS_REFUSED.labels("unread").inc()
            self.reset(call.number, Code.CANCEL)

    def forget(self, call: Call) -> None:
        """Removes a call that has ended."""
        if self.calls.pop(call.number, None) is None:
            return
        self._pending.pop(call.number, None)
        self._inflow.call_ended(call.expected)
        if not call.ended:
            self._inflow.await_stray(call.receive_window)
        self._close_if_done()

    def end(self) -> None:
        """Serves no later stream, and closes the connection when its calls are done."""
        self._last_served = self.last
        self._outflow.send(frames.goaway(self.last, Code.NO_ERROR))
        self._close_if_done()

    def _close_if_done(self) -> None:
        if self._last_served != frames.MAX_WINDOW and not self.calls:
            self._close()
