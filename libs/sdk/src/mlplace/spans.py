"""Spans of answered calls. Importing this module requires OpenTelemetry's API."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from opentelemetry import trace
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

_propagator = TraceContextTextMapPropagator()


def is_configured() -> bool:
    return not isinstance(trace.get_tracer_provider(), trace.ProxyTracerProvider)


def configure(service: str) -> bool:
    """Exports spans as the standard variables say. Returns False without OpenTelemetry's SDK and exporter."""
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        return False
    provider = TracerProvider(resource=Resource.create({"service.name": service}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    return True


@contextmanager
def answering(name: str, headers: Mapping[str, str]) -> Generator[None]:
    tracer = trace.get_tracer("mlplace.sdk")
    with tracer.start_as_current_span(name, context=_propagator.extract(headers), kind=trace.SpanKind.SERVER):
        yield


def current() -> str | None:
    """Returns the current span as a `traceparent`."""
    carrier: dict[str, str] = {}
    _propagator.inject(carrier)
    return carrier.get("traceparent")
