"""Continues the trace of the change that published an event while the event is handled."""

from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager

from opentelemetry import trace
from opentelemetry.propagate import extract
from opentelemetry.trace import Link, SpanKind, get_current_span

from mlplace_contracts.events import Envelope

_tracer = trace.get_tracer("mlplace.bus")


@contextmanager
def consuming(consumer: str, envelopes: Sequence[Envelope]) -> Generator[None]:
    """Traces the handling of a batch.

    A batch from one trace is handled within that trace. A batch from several traces gets its own trace, and each of the
    several gets a span of the same duration; the spans link to each other.
    """
    parents = list(dict.fromkeys(envelope.trace_parent for envelope in envelopes if envelope.trace_parent))
    if not parents:
        yield
    elif len(parents) == 1:
        with _tracer.start_as_current_span(
            f"{consumer} handle", context=extract({"traceparent": parents[0]}), kind=SpanKind.CONSUMER
        ):
            yield
    else:
        with _batch(consumer, parents):
            yield


@contextmanager
def _batch(consumer: str, parents: Sequence[str]) -> Generator[None]:
    contexts = [extract({"traceparent": parent}) for parent in parents]
    origins = [Link(get_current_span(context).get_span_context()) for context in contexts]
    with (
        _tracer.start_as_current_span(f"{consumer} handle batch", kind=SpanKind.CONSUMER, links=origins) as batch,
        ExitStack() as stack,
    ):
        link = [Link(batch.get_span_context())]
        for context in contexts:
            span = _tracer.start_span(f"{consumer} handle", context=context, kind=SpanKind.CONSUMER, links=link)
            stack.callback(span.end)
        yield
