"""Uvicorn's WebSocket protocol with limits on the frames of a message and on peers that do not read."""

import asyncio
from collections.abc import Callable
from typing import Any, Final, cast

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import CloseCode, Frame
from websockets.http11 import Request

from mlplace_runtime.process.http.connections import CountedConnection
from mlplace_runtime.process.http.guard import Guard
from mlplace_runtime.process.http.limits import MOST_EARLY_BYTES, MOST_FRAGMENTS, MOST_PINGS
from mlplace_runtime.process.http.refusals import Reason
from mlplace_runtime.process.http.writing import Reader
from mlplace_runtime.process.socket_turns import Frames

ON_LOST: Final = "mlp.on_lost"
"""Key of the scope: a list of functions that are called when the connection is lost.

An app that does not receive, because it has no room for more messages, learns it only in this way.
"""
_EMPTY_HEAD: Final = b"GET / HTTP/1.1\r\n\r\n"


class SocketProtocol(WebSocketsSansIOProtocol):
    """Takes over a counted connection from `HttpProtocol`.

    Parses received bytes a few frames at a time, and pauses while the application has messages to take. Meanwhile
    nothing more is read. Bytes that come before the application accepts the handshake wait unparsed, and reading goes
    on until they are many: a paused connection does not notice that its peer has disconnected.
    """

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self._guard: Guard | None = None
        self._counted: CountedConnection | None = None
        self._reader: Reader | None = None
        self._kept_from_reading = False
        self._pings = 0
        self._frames = Frames()
        self._unread = bytearray()
        self._has_turn = False
        self._on_lost: list[Callable[[], None]] = []

    def watch(self, guard: Guard, counted: CountedConnection | None, reader: Reader) -> None:
        self._guard, self._counted, self._reader = guard, counted, reader
        if counted is not None:
            counted.connection = self

    def begin(self, request: Request) -> None:
        """Begins the handshake with a request whose head the server has read and judged.

        The library's parser gets an empty head in its place: it has limits of its own, and what it refuses would have
        no answer and no end.
        """
        self.conn.receive_data(_EMPTY_HEAD)
        self.conn.events_received()
        self.handle_connect(request)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._guard is not None and self._counted is not None:
            self._guard.connections.release(self._counted)
        super().connection_lost(exc)
        for tell in self._on_lost:
            tell()
        self._on_lost.clear()

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:  # the handshake goes on to the app, which has not begun yet
            cast("dict[str, object]", self.scope)[ON_LOST] = self._on_lost

    def pause_writing(self) -> None:
        """Stops reading from a peer that does not read, because each of its pings adds a pong to the buffer."""
        super().pause_writing()
        self._kept_from_reading = True
        self.transport.pause_reading()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._reader is not None:
            self._reader.reads()
        self._kept_from_reading = False
        self._go_on()

    def handle_cont(self, event: Frame) -> None:
        """Limits the number of frames: the size of a message is limited, but empty frames have no size."""
        if len(self.frames) < MOST_FRAGMENTS:
            super().handle_cont(event)
        elif not self.close_sent:
            self._refuse(Reason.FRAGMENTS, CloseCode.MESSAGE_TOO_BIG)

    def data_received(self, data: bytes) -> None:
        self._unread += data
        self.transport.pause_reading()
        self._go_on()

    async def receive(self) -> Any:
        message = await self.queue.get()
        if self.queue.empty():
            self.read_paused = False
            self._go_on()
        return message

    async def send(self, message: Any) -> None:
        """Sending to a lost connection never waits, until its loss is told in the next turn of the event loop."""
        if self.transport.is_closing():
            await asyncio.sleep(0)
        was_open = self.handshake_complete
        await super().send(message)
        if self.close_sent or not was_open:
            self._go_on()  # to what came before the handshake's end, or to the peer's last frame

    def _go_on(self) -> None:
        if self._has_turn or self._has_to_wait:
            return
        if not self.handshake_complete:
            if len(self._unread) < MOST_EARLY_BYTES:
                self.transport.resume_reading()
            return
        if self._guard is None or self._reader is None:
            self._parse_few()
            return
        self._has_turn = True
        self._guard.socket_turns.ask(self._reader.address, self._parse_few)

    @property
    def _has_to_wait(self) -> bool:
        return self.read_paused or self._kept_from_reading or self.transport.is_closing()

    def _parse_few(self) -> None:
        self._has_turn = False
        if self._has_to_wait:
            return
        if part := self._frames.few(self._unread):
            super().data_received(part)
            self._go_on()
        else:
            self.transport.resume_reading()

    def handle_ping(self) -> None:
        """Limits pings. The parser has already queued the pong."""
        self._pings += 1
        if self._pings <= MOST_PINGS:
            super().handle_ping()
        elif not self.close_sent:
            self._refuse(Reason.PINGS, CloseCode.POLICY_VIOLATION)

    def _refuse(self, reason: Reason, code: CloseCode) -> None:
        if self._guard is not None and self._reader is not None:
            self._guard.refusals.note(reason, self._reader.address)
        self.frames = []
        self.conn.fail(code, reason.value)
        self.handle_parser_exception()

    @property
    def idle_seconds(self) -> float | None:
        return None

    @property
    def proved(self) -> bool:
        return False

    def evict(self) -> None:
        self.transport.abort()

    def look(self, seconds: float) -> None:
        self._pings = 0
        if self._reader is not None and (self._kept_from_reading or self.transport.is_closing()):
            self._reader.keeps_pace(self.transport, seconds)
