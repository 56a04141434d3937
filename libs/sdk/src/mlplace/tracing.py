"""Makes the calls that a service answers and makes part of the caller's trace (W3C Trace Context).

Without any library, the header is passed on unchanged. With OpenTelemetry (``pip install 'mlplace-sdk[tracing]'``) each
answered call is a span, exported as the standard variables say (``OTEL_EXPORTER_OTLP_ENDPOINT``, or the one for
traces), unless the author has set a tracer provider.
"""

import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext

try:
    from mlplace import spans
except ImportError:
    spans = None

logger = logging.getLogger(__name__)

TRACE_PARENT = "traceparent"
_DESTINATIONS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")


def configure_tracing(service: str, environment: Mapping[str, str]) -> None:
    """Does nothing without an export endpoint, or if the author has set a tracer provider."""
    if not any(environment.get(name) for name in _DESTINATIONS) or (spans and spans.is_configured()):
        return
    if spans is None or not spans.configure(service):
        logger.warning("a destination for traces is set, but mlplace-sdk[tracing] is not installed")


def answering(name: str, headers: Mapping[str, str]) -> AbstractContextManager[None]:
    """Returns a context manager for the span of one answer; the author's spans become its children."""
    return spans.answering(name, headers) if spans and spans.is_configured() else nullcontext()


def trace_parent(given: Mapping[str, str]) -> str | None:
    """Returns the trace parent for a nested call: the current span, or else the answered call's."""
    return (spans.current() if spans else None) or given.get(TRACE_PARENT)
