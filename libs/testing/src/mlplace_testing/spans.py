"""Collects the spans of this process for a while."""

from collections.abc import Generator
from contextlib import contextmanager

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter


@contextmanager
def collected_spans() -> Generator[InMemorySpanExporter]:
    """After the block no spans are collected, as before it: else calls of other tests in this process got trace ids.

    A process can set a provider only once, so the provider stays, and a later block uses it, too.
    """
    exporter = InMemorySpanExporter()
    provider = trace.get_tracer_provider()
    if not isinstance(provider, TracerProvider):
        provider = TracerProvider()
        trace.set_tracer_provider(provider)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mlplace_runtime.telemetry.current._spans.collected", True)
        yield exporter
    exporter.shutdown()
