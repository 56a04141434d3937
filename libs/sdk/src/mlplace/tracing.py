"""The calls that a service answers and makes, as parts of the caller's trace (W3C Trace Context).

Needs no library: the header is passed on as it came. Where OpenTelemetry is installed (``pip install
'mlplace-sdk[tracing]'``) each answered call is a span. It is sent where the standard variables say
(``OTEL_EXPORTER_OTLP_ENDPOINT``, or that of traces), unless the author has set up a provider.
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
    """Without a destination, or with a provider of the author's own, nothing changes."""
    if not any(environment.get(name) for name in _DESTINATIONS) or (spans and spans.is_configured()):
        return
    if spans is None or not spans.configure(service):
        logger.warning("a destination for traces is set, but mlplace-sdk[tracing] is not installed")


def answering(name: str, headers: Mapping[str, str]) -> AbstractContextManager[None]:
    """The time of one answer; spans that the author starts within it are its children."""
    return spans.answering(name, headers) if spans and spans.is_configured() else nullcontext()


def trace_parent(given: Mapping[str, str]) -> str | None:
    """What a nested call carries on: the current span where there is one, else what the answered call came with."""
    return (spans.current() if spans else None) or given.get(TRACE_PARENT)
