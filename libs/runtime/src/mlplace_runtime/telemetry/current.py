"""The current request's id and trace, for logs and for calls made on its behalf.

Without a span exporter no spans are created; the caller's trace context is passed on unchanged.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass

from opentelemetry import trace

TRACE_PARENT = "traceparent"
# W3C Trace Context: later versions may have more fields.
_FORM = re.compile(r"(?!ff)[0-9a-f]{2}(-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(?:-.*)?")
_OF_VERSION_0 = 55


@dataclass(slots=True)
class ServedRequest:
    """One request. `trace_parent` continues its trace if spans are not collected."""

    request_id: str
    service: str
    trace_parent: str | None = None


@dataclass(slots=True)
class _Spans:
    """Whether spans are collected. The OpenTelemetry library knows it too, but reads the environment each time."""

    collected: bool = False


_spans = _Spans()
_served: ContextVar[ServedRequest | None] = ContextVar("served", default=None)


def begin(served: ServedRequest) -> Token[ServedRequest | None]:
    """Pass the token to `end`: one process may serve a request within the task of another request."""
    return _served.set(served)


def end(token: Token[ServedRequest | None]) -> None:
    _served.reset(token)


def collect(provider: trace.TracerProvider) -> None:
    """Turns spans on. Call it once per process."""
    trace.set_tracer_provider(provider)
    _spans.collected = True


def collecting() -> bool:
    """Whether spans are exported."""
    return _spans.collected


def known_trace(text: str | None) -> str | None:
    """Returns the caller's trace parent, rewritten to version 00; None if it is invalid."""
    found = _FORM.fullmatch(text) if text else None
    if text is None or found is None or (text.startswith("00") and len(text) != _OF_VERSION_0):
        return None
    return f"00{found[1]}"


def trace_parent() -> str | None:
    """Returns the trace parent for outgoing calls: that of the request, or else of the current span."""
    served = _served.get()
    if served is not None and served.trace_parent is not None:
        return served.trace_parent
    return parent_of(trace.get_current_span())


def parent_of(span: trace.Span) -> str | None:
    """Returns the trace parent that makes others children of the span; None for an invalid span."""
    context = span.get_span_context()
    if not context.is_valid:
        return None
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def fields() -> Mapping[str, str]:
    """Returns the fields that are added to log entries."""
    served, parent = _served.get(), trace_parent()
    found = {} if served is None else {"request_id": served.request_id, "service": served.service}
    return found if parent is None else {**found, "trace_id": parent.split("-")[1]}
