"""Around every request: its id, its trace, its size limit, its metrics, and the last net for unexpected errors."""

import re
import time
from functools import lru_cache

import structlog
from opentelemetry import trace
from opentelemetry.propagate import extract
from opentelemetry.trace import SpanKind
from prometheus_client import Histogram
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from mlplace_kit.errors import PayloadTooLarge
from mlplace_kit.ids import new_request_id
from mlplace_runtime.telemetry.metrics import HTTP_SECONDS
from mlplace_runtime.web.errors import error_response, from_unexpected

REQUEST_ID_HEADER = "Z-requestId"
_REQUEST_ID_NAME = REQUEST_ID_HEADER.lower().encode()
_DEFAULTS = ((b"x-content-type-options", b"nosniff"), (b"cache-control", b"no-store"))
_REQUEST_ID = re.compile(r"[A-Za-z0-9._:/+=-]{1,128}")

log = structlog.get_logger(__name__)
_tracer = trace.get_tracer("mlplace.web")


def request_id_from(headers: Headers) -> str:
    """The caller's id when it is safe to log, else a new one."""
    given = headers.get(REQUEST_ID_HEADER, "")
    return given if _REQUEST_ID.fullmatch(given) else new_request_id()


def _carrier(scope: Scope) -> dict[str, str]:
    """The headers for whoever reads the trace; `dict(Headers)` searches the whole list for each name."""
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


@lru_cache(maxsize=256)
def _seconds(service: str, method: str, status: int) -> Histogram:
    return HTTP_SECONDS.labels(service, method, str(status))


class RequestContext:
    """Pure ASGI middleware, outermost of each service."""

    def __init__(self, app: ASGIApp, *, service: str, max_body_bytes: int) -> None:
        self._app = app
        self._service = service
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        request_id = request_id_from(headers)
        scope["mlp.request_id"] = request_id
        started = time.perf_counter()
        answer = _Answer(send, request_id)
        name = f"{scope['method']} {self._service}"
        # Bound for the request and unbound after: in one process a request may be served within another one's task.
        with (
            structlog.contextvars.bound_contextvars(request_id=request_id, service=self._service),
            _tracer.start_as_current_span(name, context=extract(_carrier(scope)), kind=SpanKind.SERVER) as span,
        ):
            await self._guarded(scope, _Limited(receive, self._max_body_bytes, headers), answer)
            span.set_attribute("http.response.status_code", answer.status)
        seconds = time.perf_counter() - started
        _seconds(self._service, scope["method"], answer.status).observe(seconds)

    async def _guarded(self, scope: Scope, receive: "_Limited", answer: "_Answer") -> None:
        try:
            receive.check_declared_length()
            await self._app(scope, receive, answer)
        except Exception as error:
            if answer.finished:
                return  # the framework has answered and logged it, and raises it all the same
            if answer.started:
                raise  # half an answer is out: only cutting the connection tells the client
            await error_response(from_unexpected(error), scope["mlp.request_id"])(scope, receive, answer)


class _Limited:
    """Counts the body's bytes, so that none beyond the limit is kept in memory."""

    def __init__(self, receive: Receive, limit: int, headers: Headers) -> None:
        self._receive = receive
        self._limit = limit
        self._declared = headers.get("content-length", "")
        self._seen = 0

    def check_declared_length(self) -> None:
        if self._declared.isdigit() and int(self._declared[:19]) > self._limit:
            raise PayloadTooLarge(limit=str(self._limit))

    async def __call__(self) -> Message:
        message = await self._receive()
        self._seen += len(message.get("body", b""))
        if self._seen > self._limit:
            raise PayloadTooLarge(limit=str(self._limit))
        return message


class _Answer:
    def __init__(self, send: Send, request_id: str) -> None:
        self._send = send
        self._request_id = request_id
        self.started = False
        self.finished = False
        self.status = 500

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.started = True
            self.status = message["status"]
            given = [header for header in message.get("headers", ()) if header[0].lower() != _REQUEST_ID_NAME]
            names = {name.lower() for name, _ in given}
            defaults = [header for header in _DEFAULTS if header[0] not in names]
            message["headers"] = [*given, (_REQUEST_ID_NAME, self._request_id.encode("latin-1")), *defaults]
        elif message["type"] == "http.response.body":
            self.finished = not message.get("more_body", False)
        await self._send(message)
