"""Uvicorn's HTTP protocol with limits on what callers send and on how slowly they send and read.

The parser keeps an incomplete header and copies it with each segment, so the bytes of heads are counted before they
reach it. There are no timers: `look` is called every second for each connection (see `guard`).
"""

import asyncio
from typing import Any, Final, cast

import httptools
import structlog

from mlplace_kit.errors import (
    AddressTooLong,
    HeadersTooLarge,
    InternalError,
    MalformedRequest,
    RequestTooSlow,
    TooManyConnections,
    Unavailable,
)
from mlplace_runtime.process.http.connections import CountedConnection
from mlplace_runtime.process.http.declined_upgrade import Callbacks, framing_of, parser_within
from mlplace_runtime.process.http.direct_protocol import DirectProtocol
from mlplace_runtime.process.http.guard import Guard
from mlplace_runtime.process.http.handshakes import fault_of_handshake, request_of
from mlplace_runtime.process.http.heads import Fault, fault_of, is_for_the_reserve, size_fault_of
from mlplace_runtime.process.http.http10_cycle import use_http10_cycle
from mlplace_runtime.process.http.joined_head import JoinedHead
from mlplace_runtime.process.http.limits import MOST_LINE_BYTES, MOST_PIPELINED
from mlplace_runtime.process.http.pace import Intake
from mlplace_runtime.process.http.refusals import Reason
from mlplace_runtime.process.http.socket import SocketProtocol

_HTTP_1_0: Final = "1.0"

log = structlog.get_logger(__name__)


class _RefusedError(Exception):
    """Stops the parser."""


def _fault_behind(error: httptools.HttpParserError) -> Fault:
    """Returns the fault of a request that the parser gave up: the caller's, or ours when a callback raised."""
    if isinstance(error, httptools.HttpParserCallbackError):
        log.error("http_request_failed", exc_info=error)
        return Reason.FAILED, InternalError()
    return Reason.MALFORMED, MalformedRequest(reason="it cannot be read")


class HttpProtocol(DirectProtocol):
    """One connection. A request is a head, then a body.

    `_waited` is how long the current head or body has been incomplete, or the connection idle, in seconds.
    """

    parser: httptools.HttpRequestParser

    def __init__(self, guard: Guard, **given: Any) -> None:
        super().__init__(guard, **given)
        self._connections = guard.connections
        self._most_head = guard.limits.head_bytes
        self._fresh = True  # no complete head yet
        self._in_body = False
        self._begun = 0
        self._partial = False  # a head has begun and is incomplete
        self._measure = False  # the parser may get more bytes of a head at once than a head may have
        self._intake: Intake | None = None
        self._declined: bytes | None = None  # the framing of a request, from its head until the next parser reads on
        self._socket: SocketProtocol | None = None  # has taken the connection over

    # Receiving

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        super().connection_made(cast("asyncio.Transport", JoinedHead(transport)))
        self._reader.address = self.client[0] if self.client else ""
        counted = self._connections.admit(self, self._reader.address)
        if isinstance(counted, CountedConnection):
            self._counted = counted
            return
        self._over = True
        self._guard.refusals.note(counted, self._reader.address)
        self.say(TooManyConnections() if counted is Reason.CONNECTIONS_OF_ADDRESS else Unavailable())
        self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._counted is not None:
            self._connections.release(self._counted)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        size = len(data)
        if self._over:
            self.linger(size)
        elif self._in_body or size <= self._most_head - self._head_bytes:
            self._measure = size > MOST_LINE_BYTES or self._head_bytes > 0
            self._feed(data, size)
        else:
            self._feed_in_parts(data, size)

    def _feed_in_parts(self, data: bytes, size: int) -> None:
        """Feeds the parser in parts, so that it never holds more of a head than allowed, or than fits after a body."""
        self._measure = True
        at = 0
        while at < size and not self._over and not self.transport.is_closing():
            step = size if self._in_body else max(1, self._most_head - self._head_bytes)
            part = data[at : at + step]
            self._feed(part, len(part))
            at += step
        if self._socket is not None:
            self._socket.data_received(data[at:])

    def _feed(self, data: bytes, size: int) -> None:
        begun, was_body = self._begun, self._in_body
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade as upgrade:
            rest = data[upgrade.args[0] :]
            if self._declined is None:
                self.handle_websocket_upgrade()
                cast("SocketProtocol", self._socket).data_received(rest)
            else:
                self._read_on(self._declined, rest)
            return
        except httptools.HttpParserError as error:
            fault = self._fault or _fault_behind(error)
            if self._in_body:
                self.refuse_body(*fault)
            else:
                self.refuse(fault)
            return
        if self._in_body:
            self._came(size if was_body else 0)
        elif self._partial or (begun == self._begun and not was_body):
            whole = begun == self._begun or (not was_body and begun + 1 == self._begun)
            self._grow(size if whole else 1)

    def _read_on(self, framing: bytes, data: bytes) -> None:
        self._declined = None
        self.parser = parser_within(cast("Callbacks", self), framing)
        if data:
            self.data_received(data)

    def _grow(self, size: int) -> None:
        """Counts bytes of an incomplete head."""
        if not self._head_bytes and not self._fresh:
            self._waited = 0.0
        self._head_bytes += size
        if self._partial and len(self.url) > MOST_LINE_BYTES:
            self.refuse((Reason.ADDRESS_TOO_LONG, AddressTooLong(limit=str(MOST_LINE_BYTES))))
        elif self._head_bytes >= self._most_head:
            self.refuse((Reason.HEAD_TOO_LARGE, HeadersTooLarge(limit=str(self._most_head))))

    def _came(self, size: int) -> None:
        """Counts bytes of an incomplete body."""
        if self._intake is None:
            self._intake = Intake(self._guard.limits)
        self._intake.came += size
        if self._intake.is_framing:
            self.refuse_body(Reason.FRAMING, MalformedRequest(reason="its chunks contain too little data"))

    # Callbacks of the parser

    def on_message_begin(self) -> None:
        self._begun += 1
        self._partial = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        self._partial = False
        self._head_bytes = 0
        self._waited = 0.0
        self._fault = self._find_fault()
        if self._fault is not None:
            raise _RefusedError
        if self._fresh:
            self._settle()
        last = self._connections.crowded and not self.proved
        super().on_headers_complete()
        upgrades = self.parser.should_upgrade()
        if upgrades and self._should_upgrade():
            return  # without a cycle: `self.cycle` is still that of an earlier request
        if self._is_http10:
            use_http10_cycle(self.cycle)
        self._in_body = True
        if upgrades:
            self._declined = framing_of(self.headers, keep_alive=self.parser.should_keep_alive())
        if last:
            self.cycle.keep_alive = False
        self.headers = []  # trailers of the body are not headers

    @property
    def _is_http10(self) -> bool:
        return self.parser.get_http_version() == _HTTP_1_0

    def _should_upgrade(self) -> bool:
        """HTTP/1.0 knows no upgrade (RFC 9110, 7.8), and a handshake is a GET without a body (RFC 6455, 4.1)."""
        if self._is_http10 or self.parser.get_method() != b"GET" or not super()._should_upgrade():
            return False
        return not any(
            name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0"))
            for name, value in self.headers
        )

    def _get_upgrade(self) -> bytes | None:
        """Like uvicorn's, which reads only the last line of `Connection`."""
        lines = [value for name, value in self.headers if name == b"connection"]
        if b"upgrade" not in [option.strip().lower() for line in lines for option in line.split(b",")]:
            return None
        return next((value.lower() for name, value in self.headers if name == b"upgrade"), None)

    def _settle(self) -> None:
        self._fresh = False
        if self._counted is not None:
            self._connections.settle(self._counted)

    def _find_fault(self) -> Fault | None:
        fault = fault_of(self.parser, self.url, self.headers)
        if fault is None and self._measure:
            fault = size_fault_of(self.url, self.headers, self._most_head)
        if fault is None and self.pipeline and len(self.pipeline) >= MOST_PIPELINED:
            fault = Reason.PIPELINED, MalformedRequest(reason="too many requests wait for a response")
        if fault is None and self._connections.crowded and not self._may_use_the_reserve():
            fault = Reason.RESERVED, Unavailable()
        if fault is None and self.parser.should_upgrade() and self._should_upgrade():
            fault = self._find_fault_of_handshake()
        return fault

    def _find_fault_of_handshake(self) -> Fault | None:
        """Refuses one behind unanswered requests: their responses would come when the connection has left HTTP."""
        if self._is_answering:
            return Reason.PIPELINED, MalformedRequest(reason="its handshake does not wait for earlier responses")
        return fault_of_handshake(self.headers)

    def _may_use_the_reserve(self) -> bool:
        return self.proved or is_for_the_reserve(self.url, self.headers)

    def on_body(self, body: bytes) -> None:
        if self._intake is not None:
            self._intake.held += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        if self._declined is not None:
            return
        trailers_close = self._in_body and self.headers and not self.parser.should_keep_alive()
        if trailers_close:  # the parser reads nothing more
            self.cycle.keep_alive = False
            if self.cycle.response_complete:
                self.transport.close()
        self._in_body = False
        self._intake = None
        self._waited = 0.0
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Like uvicorn's, without its timer: `look` finds idle connections."""
        self.server_state.total_requests += 1
        self._waited = 0.0
        if self.transport.is_closing():
            return
        if self.pipeline:
            cycle, app = self.pipeline.pop()
            self._start_asgi_task(cycle, app)
            return
        self.flow.resume_reading()
        if self._fault is not None:
            self.end_with(self._fault[1])

    def handle_websocket_upgrade(self) -> None:
        """Like uvicorn's, but the head is not parsed again: see `SocketProtocol.begin`."""
        self.connections.discard(self)
        socket = self._socket = SocketProtocol(
            config=self.config, server_state=self.server_state, app_state=self.app_state
        )
        socket.watch(self._guard, self._counted, self._reader)
        self._counted = None
        self._over = True
        socket.connection_made(self.transport)
        self.transport.set_protocol(socket)
        address = httptools.parse_url(self.url)
        target = address.path + b"?" + address.query if address.query else address.path
        socket.begin(request_of(target, self.headers))
        if self.flow.write_paused:  # the caller has not read an earlier response yet
            socket.pause_writing()

    def resume_writing(self) -> None:
        self._reader.reads()
        super().resume_writing()

    # Time limits

    def look(self, seconds: float) -> None:
        self.hand_over()
        closing = self.transport.is_closing()
        if (closing or self.flow.write_paused) and not self._reader.keeps_pace(self.transport, seconds):
            return
        if closing:
            return
        if not self._is_answering:
            self._waited += seconds
            self._look_at_the_unanswered()
        elif self._in_body and not self._over:
            self._look_at_body(seconds)

    def _look_at_the_unanswered(self) -> None:
        limits, waited = self._guard.limits, self._waited
        if self._over:
            if waited > limits.linger_seconds:
                self.transport.close()
        elif self._in_body:
            if waited > limits.grace_seconds:  # its request was answered: nobody wants the rest
                self.refuse_body(Reason.BODY_NOT_WANTED, RequestTooSlow())
        elif self._head_bytes:
            if waited > limits.head_seconds:
                self.refuse((Reason.HEAD_TOO_SLOW, RequestTooSlow()))
        elif waited > (limits.idle_seconds if self._begun else limits.head_seconds):
            self.transport.close()

    def _look_at_body(self, seconds: float) -> None:
        """Time in which the platform itself does not read does not count against the caller."""
        if self.flow.read_paused or self.cycle.waiting_for_100_continue:
            return
        if self._intake is None:
            self._intake = Intake(self._guard.limits)
        if not self._intake.keeps_pace(seconds):
            self.refuse_body(Reason.BODY_TOO_SLOW, RequestTooSlow())
        elif self._intake.seconds > self._guard.limits.body_seconds:
            self.refuse_body(Reason.BODY_TOO_LATE, RequestTooSlow())
