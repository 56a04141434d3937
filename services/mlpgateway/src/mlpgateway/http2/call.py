"""One call: what its method reads and writes, and how the call ends."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import Final, NoReturn, Protocol

import grpc
import structlog

from mlpgateway.http2 import frames, headers
from mlpgateway.http2.errors import CallerLeft, CallRefused
from mlpgateway.http2.frames import Code
from mlpgateway.http2.headers import Metadata, Opening
from mlpgateway.http2.incoming import IncomingMessages, Judge, Wire
from mlpgateway.http2.outflow import Outflow
from mlpgateway.shares.share import Holder

log = structlog.get_logger(__name__)

_LONGEST_READ: Final = 600.0
_NAMES: Final = {status.name: status.value[0] for status in grpc.StatusCode}


class OutgoingWire(Wire, Protocol):
    """The connection, as seen by its calls. `forget` takes a call that has ended."""

    outflow: Outflow
    initial_send_window: int
    forget: Callable[["Call"], None]


Serve = Callable[["Call"], Awaitable[None]]


class Call(IncomingMessages):
    """Implements the part of grpc.aio's ServicerContext that servicers use."""

    __slots__ = (
        "_expired",
        "_forget",
        "_initial",
        "_left",
        "_opened",
        "_out",
        "_over",
        "_running",
        "_serve",
        "_task",
        "_timer",
        "_trailing",
        "_window",
        "send_window",
        "unread_due",
    )

    def __init__(self, wire: OutgoingWire, number: int, opening: Opening, serve: Serve, judge: Judge) -> None:
        super().__init__(wire, number, opening, judge)
        self._out = wire.outflow
        self._forget = wire.forget
        self._serve = serve
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._window: asyncio.Future[None] | None = None
        self._expired = False
        # The caller has left while messages of it wait for a later turn of the event loop.
        self._left = False
        self._running = False
        self._opened = False
        self._initial: tuple[tuple[str, str], ...] = ()
        self._trailing: tuple[tuple[str, str], ...] = ()
        # True when the end of the answer is sent, or when nobody is there to receive it.
        self._over = False
        self.send_window = wire.initial_send_window
        # The time by which the message being written has to be read; 0: no message waits.
        self.unread_due = 0.0

    # ---- For servicers

    def peer(self) -> str:
        """The caller's address in gRPC's notation."""
        return self._wire.peer

    def invocation_metadata(self) -> Metadata:
        return self.opening.metadata

    @property
    def method(self) -> str:
        return self.opening.path.rpartition("/")[2]

    def prove(self) -> None:
        """Marks the connection as proven: a known caller uses it."""
        self._wire.prove()

    def belongs_to(self, account: Holder) -> None:
        """Counts large messages for this account from now on."""
        self.account = account
        self.judged = True
        self.prove()

    async def abort(self, code: grpc.StatusCode, details: str = "", *, pushback_ms: int | None = None) -> NoReturn:
        raise CallRefused(code.name, details, pushback_ms=pushback_ms)

    async def send_initial_metadata(self, metadata: Iterable[tuple[str, str]]) -> None:
        self._initial = tuple(metadata)
        self._out.send(self._opening_frame())

    def set_trailing_metadata(self, metadata: Iterable[tuple[str, str]]) -> None:
        """Sends the metadata when the method returns. Names are in lower case, values in printable ASCII."""
        self._trailing = tuple(metadata)

    async def write(self, message: bytes) -> None:
        """Sends a message. Returns when it is handed to the transport. Raises CallerLeft."""
        if not self.write_at_once(message):
            await self._write_long(message)

    def write_at_once(self, message: bytes) -> bool:
        """Sends a message if it need not wait. Returns whether it did."""
        size = len(message) + frames.PREFIX_BYTES
        if not self._fits(size):
            return False
        self._spend(size)
        self._out.send(self._opening_frame() + frames.message_head(self.number, len(message)) + message)
        return True

    async def finish(self, message: bytes) -> None:
        """Sends the only or last message, and ends the call."""
        size = len(message) + frames.PREFIX_BYTES
        if not self._fits(size):
            await self._write_long(message)
            return
        self._spend(size)
        data = self._opening_frame() + frames.message_head(self.number, len(message)) + message
        self._end(data, headers.END_OK)

    # ---- For the connection

    @property
    def is_over(self) -> bool:
        """Whether its answer or a reset was sent, or its caller has left: what still comes was on its way."""
        return self._over

    def start(self) -> None:
        """Runs the method, now that a first message has come."""
        self.begin()
        if self.opening.timeout is not None:
            self._timer = self._loop.call_at(self.came + self.opening.timeout, self._expire)
        self._task = self._loop.create_task(self._run())

    def stop(self) -> None:
        """Ends the call because the server stops."""
        if self._task is not None:
            self._cancel(self._task)
        else:
            self.refuse("UNAVAILABLE", "the server is shutting down")

    def refuse(self, status: str, details: str) -> None:
        """Ends the call without running its method."""
        self._fail(status, details, None)
        self._dispose()

    def leave(self) -> None:
        """Ends the call because its caller has left, after the messages that wait for a later turn."""
        if self._goes_on:
            self._left = True
        else:
            self.lose()

    def _go_on(self) -> None:
        super()._go_on()
        if self._left and not self._goes_on:
            self.lose()

    def lose(self) -> None:
        """Ends the call at once, because nobody is there to receive its answer."""
        self._over = True
        if self._task is not None:
            self._cancel(self._task)
        else:
            self._dispose()

    def break_off(self, refusal: CallRefused) -> None:
        self._fail(refusal.status, refusal.details, refusal.pushback_ms)
        self._over = True
        if self._task is not None:
            self._cancel(self._task)

    def open_window(self, count: int) -> bool:
        """Enlarges the send window. Returns False when it exceeds HTTP/2's maximum."""
        self.send_window += count
        self.wake_writer()
        return self.send_window <= frames.MAX_WINDOW

    def wake_writer(self) -> None:
        if self._window is not None and not self._window.done():
            self._window.set_result(None)

    # ---- Internals

    def _expire(self) -> None:
        self._expired = True
        if self._task is not None:
            self._cancel(self._task)

    def _cancel(self, task: asyncio.Task[None]) -> None:
        """Cancels the task. A task cancelled before its first step runs no code, so its clean-up happens here."""
        self.take_no_more()
        task.cancel()
        if not self._running:
            self._fail_cancelled()
            self._dispose()

    async def _run(self) -> None:
        self._running = True
        try:
            await self._serve(self)
        except CallRefused as refusal:
            self._fail(refusal.status, refusal.details, refusal.pushback_ms)
        except CallerLeft:
            self._fail("CANCELLED", "the caller has left", None)
        except asyncio.CancelledError:
            self._fail_cancelled()
        except Exception as error:
            log.exception("call_failed", path=self.opening.path, error=repr(error))
            self._fail("UNKNOWN", "the call failed", None)
        else:
            trailing = headers.encoded(self._trailing) if self._trailing else b""
            self._end(self._opening_frame(), headers.END_OK + trailing)
        finally:
            self._dispose()

    def _dispose(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self.dispose()
        self._forget(self)

    def _fits(self, size: int) -> bool:
        """Returns whether a message of this size may be sent at once."""
        out = self._out
        return size <= frames_at_most(self.send_window, out.window) and not out.blocked and not self._over

    def _spend(self, count: int) -> None:
        self.send_window -= count
        self._out.window -= count

    async def _write_long(self, message: bytes) -> None:
        if self._over:
            raise CallerLeft
        limits, out, size = self._wire.limits, self._out, len(message)
        if not self._wire.is_proven and (out.blocked or size + frames.PREFIX_BYTES > min(self.send_window, out.window)):
            # An unproven caller only gets refusals, which are small: nothing is stored for one that does not read them.
            self._wire.reset(self.number, Code.CANCEL)
            raise CallerLeft
        self.unread_due = self._loop.time() + limits.unread_seconds + min(size / limits.least_read_rate, _LONGEST_READ)
        await self._write_in_pieces(message)
        self.unread_due = 0.0

    async def _write_in_pieces(self, message: bytes) -> None:
        rest = memoryview(message)
        before = frames.prefix(len(message))
        self._send_opening()
        while before or rest:
            room = await self._room(len(before) or 1) - len(before)
            part, rest = rest[:room], rest[room:]
            size = len(before) + len(part)
            self._spend(size)
            self._out.send(frames.head(frames.DATA, 0, self.number, size) + before + part)
            before = b""

    async def _room(self, least: int) -> int:
        """Waits until a frame of `least` bytes can be sent. Returns how many bytes it may have."""
        while True:
            if self._over:
                raise CallerLeft
            if self._out.blocked or self._out.window < least:
                await self._out.sendable()
                continue
            if self.send_window >= least:
                return frames_at_most(self.send_window, self._out.window)
            self._window = self._loop.create_future()
            try:
                await self._window
            finally:
                self._window = None

    def _send_opening(self) -> None:
        if not self._opened:
            self._out.send(self._opening_frame())

    def _opening_frame(self) -> bytes:
        """Returns the frame that begins the answer; empty after the first time."""
        if self._opened:
            return b""
        self._opened = True
        block = headers.BEGIN + headers.encoded(self._initial) if self._initial else headers.BEGIN
        return frames.frame(frames.HEADERS, frames.END_HEADERS, self.number, block)

    def _fail_cancelled(self) -> None:
        self._fail("DEADLINE_EXCEEDED" if self._expired else "CANCELLED", "the call was ended", None)

    def _fail(self, status: str, details: str, pushback_ms: int | None) -> None:
        fields = [("grpc-status", str(_NAMES[status])), ("grpc-message", headers.message_text(details))]
        if pushback_ms is not None:
            fields.append(("grpc-retry-pushback-ms", str(pushback_ms)))
        block = headers.encoded(fields)
        if not self._opened:
            self._opened = True
            block = headers.BEGIN + block
        self._end(b"", block)

    def _end(self, data: bytes, block: bytes) -> None:
        """Sends the trailing headers, and a reset to a caller that is still sending."""
        if self._over:
            return
        self._over = True
        data += frames.frame(frames.HEADERS, frames.END_HEADERS | frames.END_STREAM, self.number, block)
        if not self.ended:
            data += frames.reset(self.number, Code.NO_ERROR)
        self._out.send(data)


def frames_at_most(own: int, all_: int) -> int:
    """Returns the most bytes that one frame may have."""
    return min(own, all_, 16_384)
