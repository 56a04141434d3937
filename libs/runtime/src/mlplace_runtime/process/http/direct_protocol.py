"""Uvicorn's HTTP protocol, with requests that are answered without ASGI."""

from collections.abc import Mapping
from typing import Any, Final, cast

import httptools
from starlette.types import Send
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, RequestResponseCycle

from mlplace_runtime.process.http.cutting import CutByErrors
from mlplace_runtime.process.http.direct import DirectRequest, Leave
from mlplace_runtime.process.http.joined_head import JoinedHead
from mlplace_runtime.process.http.proxies import reported
from mlplace_runtime.process.http.refusing import RefusingProtocol
from mlplace_runtime.web.proof import PROVED

_BLANKS: Final = b" \t"
_CLOSES: Final = (b"connection", b"close")
_UNPROVED: Final[Mapping[str, object]] = {}


class DirectCycle:
    """Satisfies Reply, and stands for uvicorn's own cycle of request and response at the connection."""

    __slots__ = ("_leave", "_protocol", "disconnected", "keep_alive", "response_complete", "scope")
    response_started = False
    waiting_for_100_continue = False

    def __init__(self, protocol: "DirectProtocol") -> None:
        self._protocol = protocol
        self._leave: Leave | None = None
        self.disconnected = False
        self.keep_alive = True
        self.response_complete = False
        self.scope = _UNPROVED

    def begun(self, leave: Leave) -> None:
        self._leave = leave

    @property
    def message_event(self) -> "DirectCycle":
        """Uvicorn sets it when the caller has disconnected."""
        return self

    def set(self) -> None:
        leave, self._leave = self._leave, None
        if self.disconnected and leave is not None:
            leave()

    def in_pieces(self) -> Send:
        leave, self._leave = self._leave, None
        return self._protocol.begin_pieces(self, leave)

    def break_off(self) -> None:
        self._protocol.transport.close()

    def answer(self, status: int, headers: bytes, body: bytes | memoryview, *, proved: bool) -> None:
        self._leave = None
        self.response_complete = True
        if self.disconnected:
            return
        if proved:
            self.scope = PROVED
        self._protocol.send_whole(status, headers, body, keep_alive=self.keep_alive)


class _Left:
    """Stands for the event that uvicorn sets when the caller has disconnected."""

    __slots__ = ("cycle", "leave")

    def __init__(self, leave: Leave | None) -> None:
        self.cycle: RequestResponseCycle | None = None
        self.leave = leave

    def set(self) -> None:
        leave, self.leave = self.leave, None
        if leave is not None and self.cycle is not None and self.cycle.disconnected:
            leave()


class DirectProtocol(RefusingProtocol):
    """Offers requests to the `Direct` of `guard`, and passes all others on to uvicorn."""

    _prepared: DirectRequest | None = None
    """Set while the body of such a request is incomplete."""
    _given: list[tuple[bytes, bytes]]
    _pieces: list[bytes]
    _answering: RequestResponseCycle | None = None
    """The request that is answered while `cycle` is a later one, whose head has been read already."""

    def on_message_begin(self) -> None:
        """Like uvicorn's, but without the scope: only the app needs one."""
        self.url = b""
        self.expect_100_continue = False
        self.headers = []

    def on_header(self, name: bytes, value: bytes) -> None:
        """Like uvicorn's, but without white space around a value: it is no part of it (RFC 9110, section 5.5)."""
        name, value = name.lower(), value.strip(_BLANKS)
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._prepared = self._offered()
        if self._prepared is None:
            self._to_the_app(self.headers)
        else:
            self._given, self._pieces = self.headers, []

    def _offered(self) -> DirectRequest | None:
        direct = self._guard.direct
        if direct is None or not self._is_plain():
            return None
        caller = self._caller()
        return None if caller is None else direct.prepare(self.url, self.headers, caller)

    def _is_plain(self) -> bool:
        """Whether the request is a POST over HTTP/1.1 with nothing before it, on a connection that goes on."""
        parser = cast("httptools.HttpRequestParser", self.parser)
        existing = cast("RequestResponseCycle | None", self.cycle)
        if (existing is not None and not existing.response_complete) or self.pipeline:
            return False
        if parser.get_method() != b"POST" or parser.get_http_version() != "1.1" or parser.should_upgrade():
            return False
        if not parser.should_keep_alive() or self.flow.write_paused or self._guard.connections.crowded:
            return False
        return _CLOSES not in self.server_state.default_headers

    def _caller(self) -> str | None:
        """Returns the caller's address. None: the names of proxies must be resolved first, which the app waits for."""
        peer, proxies = self._reader.address, self._guard.proxies
        if not proxies:
            return peer
        lines = reported(self.headers)
        return None if lines and proxies.may_be_new(peer) else proxies.caller(peer, lines)

    def _to_the_app(self, headers: list[tuple[bytes, bytes]]) -> None:
        self.scope = {  # type: ignore[typeddict-item]  # as uvicorn has it: the rest comes with the head
            "type": "http",
            "asgi": {"version": self.asgi_version, "spec_version": "2.3"},
            "http_version": "1.1",
            "server": self.server,
            "client": self.client,
            "scheme": self.scheme,
            "root_path": self.root_path,
            "headers": headers,
            "state": self.app_state.copy(),
        }
        existing = cast("RequestResponseCycle | None", self.cycle)
        if existing is not None and not existing.response_complete and not self.pipeline:
            self._answering = existing
        super().on_headers_complete()

    def hand_over(self) -> None:
        """Passes a request whose body is incomplete on to the app."""
        if self._prepared is not None:
            self._prepared = None
            self._to_the_app(self._given)
            for piece in self._pieces:
                super().on_body(piece)

    def on_body(self, body: bytes) -> None:
        if self._prepared is None:
            super().on_body(body)
        else:
            self._pieces.append(body)

    def on_message_complete(self) -> None:
        prepared = self._prepared
        if prepared is None:
            super().on_message_complete()
            return
        pieces, before = self._pieces, self.cycle
        cycle: Any = DirectCycle(self)
        self.cycle = cycle
        leave = prepared.begin(pieces[0] if len(pieces) == 1 else b"".join(pieces), cycle)
        if leave is None:
            self.cycle = before
            self.hand_over()
            super().on_message_complete()
            return
        self._prepared = None
        if not cycle.response_complete:
            cycle.begun(leave)

    def refuse_body(self, reason: Any, error: Any) -> None:
        self.hand_over()
        super().refuse_body(reason, error)

    def connection_lost(self, exc: Exception | None) -> None:
        self.hand_over()
        super().connection_lost(exc)
        # Uvicorn's method knows the newest request only.
        answering = self._answering
        if answering is not None and answering is not self.cycle and not answering.response_complete:
            answering.disconnected = True
            answering.message_event.set()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        super()._start_asgi_task(cycle, cast("Any", CutByErrors(app, cycle)))

    def on_response_complete(self) -> None:
        self._answering = self.pipeline[-1][0] if self.pipeline else None
        super().on_response_complete()

    def send_whole(self, status: int, headers: bytes, body: bytes | memoryview, *, keep_alive: bool) -> None:
        own = b"".join([b"%b: %b\r\n" % header for header in self.server_state.default_headers])
        whole = b"".join((STATUS_LINE[status], own, headers, b"\r\n", body))
        cast("JoinedHead", self.transport).write_whole(whole)
        if not keep_alive:
            self.transport.close()
        self.on_response_complete()

    def begin_pieces(self, direct: DirectCycle, leave: Leave | None) -> Send:
        """Replaces the request's cycle by uvicorn's own, which writes an answer in pieces."""
        left: Any = _Left(leave)
        scope: Any = {"method": "POST"}
        cycle = left.cycle = RequestResponseCycle(
            scope=scope,
            transport=self.transport,
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=False,
            default_headers=self.server_state.default_headers,
            message_event=left,
            expect_100_continue=False,
            keep_alive=direct.keep_alive,
            on_response=self.on_response_complete,
        )
        cycle.disconnected = direct.disconnected
        if cast("object", self.cycle) is direct:  # else the connection reads the next request already
            self.cycle = cycle
        elif cast("object", self._answering) is direct:
            self._answering = cycle
        return cast("Send", cycle.send)
