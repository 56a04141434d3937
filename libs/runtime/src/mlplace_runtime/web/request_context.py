"""Wraps every request: id, trace, body limit, metrics, and a fallback for unexpected errors."""

import re
import time
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Final

import structlog
from opentelemetry import trace
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mlplace_kit.errors import ContentEncodingNotSupported, DomainError, PayloadTooLarge
from mlplace_kit.ids import new_request_id
from mlplace_runtime.telemetry import current
from mlplace_runtime.telemetry.metrics import HTTP_SECONDS
from mlplace_runtime.telemetry.timings import Timing
from mlplace_runtime.web.content_codings import is_coded
from mlplace_runtime.web.errors import error_response, from_unexpected
from mlplace_runtime.web.proof import note_proof
from mlplace_runtime.web.strangers import OF_STRANGERS, refuse_stranger

REQUEST_ID_HEADER: Final = "Z-requestId"
_REQUEST_ID_NAME: Final = REQUEST_ID_HEADER.lower().encode()
_TRACE_PARENT: Final = current.TRACE_PARENT.encode()
_DEFAULTS: Final = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
_CONTINUE: Final = b"100-continue"
_BODY: Final = "mlp.body"
_OF_SOCKETS: Final = frozenset({"websocket.accept", "websocket.close", "websocket.http.response.start"})
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")

log = structlog.get_logger(__name__)
_tracer = trace.get_tracer("mlplace.web")


@lru_cache(maxsize=256)
def request_seconds(service: str, method: str, status: int) -> Timing:
    return HTTP_SECONDS.labels(service, method, str(status))


class RequestContext:
    """Pure ASGI middleware, the outermost one of each service."""

    def __init__(
        self, app: ASGIApp, *, service: str, max_body_bytes: int, bound_of_path: Callable[[str], int] | None = None
    ) -> None:
        """`bound_of_path`: bounds the body instead of `max_body_bytes`."""
        self._app = app
        self._bound_of_path = bound_of_path
        self._service = service
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        match scope["type"]:
            case "http":
                await self._request(scope, receive, send)
            case "websocket":
                await self._socket(scope, receive, send)
            case _:
                await self._app(scope, receive, send)

    async def _request(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = time.perf_counter()
        headers, request_id, parent = _identity(scope)
        answer = Sending(send, request_id)
        bound = self._bound_of_path(scope["path"]) if self._bound_of_path else self._max_body_bytes
        limited = scope[_BODY] = _Limited(scope, receive, bound, headers)
        if headers.get(b"expect", b"").lower() == _CONTINUE:
            answer.body = limited
        collecting = current.collecting()
        token = current.begin(current.ServedRequest(request_id, self._service, None if collecting else parent))
        try:
            if collecting:
                await self._in_a_span(parent, scope, limited, answer)
            else:
                await self._guarded(scope, limited, answer)
        finally:
            current.end(token)
        note_proof(scope, answer.status)
        request_seconds(self._service, scope["method"], answer.status).observe(time.perf_counter() - started)

    async def _socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handles a WebSocket. Only its handshake gets an error response; later errors end the connection."""
        _, request_id, parent = _identity(scope)
        answer = Sending(send, request_id)
        token = current.begin(current.ServedRequest(request_id, self._service, parent))
        try:
            await self._app(scope, receive, answer)
        except Exception as error:
            if answer.started:
                raise
            await error_response(from_unexpected(error), request_id)(scope, receive, answer)
        finally:
            current.end(token)

    async def _in_a_span(self, parent: str | None, scope: Scope, receive: "_Limited", answer: "Sending") -> None:
        name = f"{scope['method']} {self._service}"
        context = extract({current.TRACE_PARENT: parent} if parent else {})
        with _tracer.start_as_current_span(name, context=context, kind=SpanKind.SERVER) as span:
            await self._guarded(scope, receive, answer)
            span.set_attribute("http.response.status_code", answer.status)

    async def _guarded(self, scope: Scope, receive: "_Limited", answer: "Sending") -> None:
        try:
            receive.check_declared_length()
            await self._app(scope, receive, answer)
        except Exception as error:
            if answer.finished:
                return  # the framework has already answered and logged it, and raises it anyway
            if answer.started:
                if isinstance(error, DomainError):
                    log.info("response_cut", code=error.code, status=error.status)
                raise  # half the response is sent: only closing the connection tells the client
            await error_response(from_unexpected(error), scope["mlp.request_id"])(scope, receive, answer)


def _identity(scope: Scope) -> tuple[dict[bytes, bytes], str, str | None]:
    """Returns the headers (the first of each name), the request id, which it also puts into the scope, and the trace
    parent.
    """
    headers: dict[bytes, bytes] = dict(reversed(scope["headers"]))
    scope["mlp.request_id"] = request_id = request_id_from(headers.get(_REQUEST_ID_NAME))
    given = headers.get(_TRACE_PARENT)
    return headers, request_id, current.known_trace(given.decode("latin-1")) if given else None


def request_id_from(given: bytes | None) -> str:
    """Returns the caller's id if it is safe to log, else a new one."""
    text = given.decode("latin-1") if given else ""
    return text if _REQUEST_ID.fullmatch(text) else new_request_id()


def keep_coding(scope: Scope) -> None:
    """Lets the body of this request have a Content-Encoding: it is passed on, or stored, as it is."""
    body = scope.get(_BODY)
    if body is not None:
        body.may_be_coded = True


class _Limited:
    """Limits the body: keeps no bytes beyond the limit in memory, and fewer from unauthenticated callers.

    Compressed bodies are refused unless the app calls `keep_coding`: a limit would not hold for what they contain.
    """

    def __init__(self, scope: Scope, receive: Receive, limit: int, headers: Mapping[bytes, bytes]) -> None:
        self._scope = scope
        self._receive = receive
        self._judged = False
        self._limit = limit
        self._declared = declared = headers.get(b"content-length", b"")
        has_body = b"transfer-encoding" in headers or declared not in {b"", b"0"}
        self._is_coded = has_body and is_coded(scope["headers"])
        self.may_be_coded = False
        self._seen = 0
        self.asked = False
        """Whether the body has been asked for."""

    def check_declared_length(self) -> None:
        if self._declared.isdigit() and int(self._declared[:19]) > self._limit:
            raise PayloadTooLarge(limit=str(self._limit))

    async def __call__(self) -> Message:
        if self._is_coded and not self.may_be_coded:
            raise ContentEncodingNotSupported
        self.asked = True
        await self._judge(int(self._declared[:19]) if self._declared.isdigit() else 0)
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self._seen > self._limit:
            raise PayloadTooLarge(limit=str(self._limit))
        await self._judge(self._seen)
        return message

    async def _judge(self, size: int) -> None:
        """Refuses strangers early: the framework reads a body before the route's policy checks the caller."""
        if size > OF_STRANGERS and not self._judged:
            self._judged = True
            await refuse_stranger(self._scope)


class Sending:
    """Sends a response with the headers that every response has. `status` is 500 until it has started."""

    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.body: _Limited | None = None
        """The body of a caller that waits until it is asked for."""
        self.started = False
        self.finished = False
        self.status = 500

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            self.status = message["status"]
            message["headers"] = self._headers(message.get("headers", ()))
            if self.body is not None and not self.body.asked:
                # The caller may send the body all the same, or the next request: the connection cannot tell them apart.
                message["headers"].append((b"connection", b"close"))
        elif message["type"] == "http.response.body":
            self.finished = not message.get("more_body", False)
        elif message["type"] in _OF_SOCKETS:
            self.started = True
            message["headers"] = self._headers(message.get("headers", ()))
        await self._send(message)

    def _headers(self, given: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
        return with_own_headers(given, self._request_id)


def with_own_headers(given: Iterable[tuple[bytes, bytes]], request_id: str) -> list[tuple[bytes, bytes]]:
    """Returns the headers of a response with those that every response has. Names are in lower case."""
    headers = [header for header in given if header[0] != _REQUEST_ID_NAME]
    names = {name for name, _ in headers}
    headers.append((_REQUEST_ID_NAME, request_id.encode("latin-1")))
    headers.extend(header for header in _DEFAULTS if header[0] not in names)
    return headers
