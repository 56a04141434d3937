"""OpenTelemetry traces: one trace runs from the edge through the gateway and the instance to billing."""

from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

from mlplace_runtime.telemetry import current


def configure_traces(
    *, service: str, endpoint: str | None, sample_ratio: float, exporter: SpanExporter | None = None
) -> None:
    """Without an endpoint and without an exporter nothing is recorded; trace context is passed on all the same."""
    if endpoint and exporter is None:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        exporter = OTLPSpanExporter(endpoint=endpoint)
    if exporter is None:
        return
    provider = TracerProvider(
        resource=Resource.create({"service.name": service}), sampler=ParentBased(TraceIdRatioBased(sample_ratio))
    )
    provider.add_span_processor(BatchSpanProcessor(exporter))
    current.collect(provider)
