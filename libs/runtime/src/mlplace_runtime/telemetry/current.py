"""What is being served: the request's id and its trace, for logs and for whoever is asked on its behalf.

While nobody collects spans none is made for a request: the trace that its caller named goes on as it came.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar, Token
from dataclasses import dataclass

from opentelemetry import trace

TRACE_PARENT = "traceparent"
# W3C Trace Context: versions to come may have more fields.
_FORM = re.compile(r"(?!ff)[0-9a-f]{2}(-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})(?:-.*)?")
_OF_VERSION_0 = 55


@dataclass(slots=True)
class Served:
    """One request. `trace_parent` is what continues its trace where no span does."""

    request_id: str
    service: str
    trace_parent: str | None = None


@dataclass(slots=True)
class _Spans:
    """What the library knows too, behind a look at the environment each time."""

    collected: bool = False


_spans = _Spans()
_served: ContextVar[Served | None] = ContextVar("served", default=None)


def begin(served: Served) -> Token[Served | None]:
    """Give the token to `end`: in one process a request may be served within the task of another one."""
    return _served.set(served)


def end(token: Token[Served | None]) -> None:
    _served.reset(token)


def collect(provider: trace.TracerProvider) -> None:
    """From now on there are spans. Once in the life of a process."""
    trace.set_tracer_provider(provider)
    _spans.collected = True


def collecting() -> bool:
    """Whether spans go anywhere."""
    return _spans.collected


def known_trace(text: str | None) -> str | None:
    """The trace parent that a caller names, in our own version; None for what is none."""
    found = _FORM.fullmatch(text) if text else None
    if text is None or found is None or (text.startswith("00") and len(text) != _OF_VERSION_0):
        return None
    return f"00{found[1]}"


def trace_parent() -> str | None:
    """What continues the trace: of the request, else of the current span."""
    served = _served.get()
    if served is not None and served.trace_parent is not None:
        return served.trace_parent
    return parent_of(trace.get_current_span())


def parent_of(span: trace.Span) -> str | None:
    """What makes others children of the span."""
    context = span.get_span_context()
    if not context.is_valid:
        return None
    return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"


def fields() -> Mapping[str, str]:
    """For the entries of logs."""
    served, parent = _served.get(), trace_parent()
    found = {} if served is None else {"request_id": served.request_id, "service": served.service}
    return found if parent is None else {**found, "trace_id": parent.split("-")[1]}
