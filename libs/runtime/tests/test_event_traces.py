"""Tests that one trace covers the publishing transaction and the handler in another service, over the bus."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Sequence

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, use_span
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_contracts.events import Event, SessionRevoked
from mlplace_contracts.topics import SESSIONS
from mlplace_kit.clock import ManualClock
from mlplace_runtime.bus.consumer import Consumer, ConsumerRunner
from mlplace_runtime.bus.kafka.bus import KafkaBus, KafkaSettings
from mlplace_runtime.bus.local import LocalBus
from mlplace_runtime.bus.outbox_relay import OutboxRelay
from mlplace_runtime.bus.port import EventBus
from mlplace_runtime.db.database import Database
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.tasks import Loop, running
from mlplace_testing.spans import collected_spans
from mlplace_testing.waiting import eventually


def _caller(trace_id: int) -> NonRecordingSpan:
    """Runs as a sampled request that began elsewhere."""
    return NonRecordingSpan(SpanContext(trace_id, 0xC0FFEE, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED)))


class _Seen:
    """Records the trace in which each event was handled."""

    def __init__(self) -> None:
        self.traces: dict[str, int] = {}

    async def handle(self, _: AsyncSession, events: Sequence[Event]) -> None:
        current = trace.get_current_span().get_span_context().trace_id
        self.traces |= {event.key: current for event in events}

    async def count(self) -> int:
        return len(self.traces)


async def _through(bus: EventBus, database: Database, clock: ManualClock, callers: Sequence[int | None]) -> _Seen:
    """Publishes one event per caller, in order, all in the outbox before the first is shipped."""
    seen = _Seen()
    for number, trace_id in enumerate(callers):
        event = SessionRevoked(session_hash=f"s{number}", user_id=number, revoked_at=clock.now())
        with use_span(_caller(trace_id) if trace_id else trace.INVALID_SPAN):
            async with database.transaction() as session:
                await Outbox(session, clock).add(event)
    consumer = Consumer("traced", (SESSIONS,), (SessionRevoked,), seen.handle)
    relay = Loop("relay", OutboxRelay(database, bus, name="traced").run)
    async with running("traced", [relay, Loop("consumer", ConsumerRunner(consumer, database, bus).run)]):
        await eventually(seen.count, until=lambda count: count == len(callers), seconds=60)
    return seen


@pytest.fixture(scope="module")
def recorded() -> Generator[InMemorySpanExporter]:
    with collected_spans() as exporter:
        yield exporter


@pytest.fixture
def spans(recorded: InMemorySpanExporter) -> Generator[InMemorySpanExporter]:
    recorded.clear()
    yield recorded
    recorded.clear()


def _named(spans: InMemorySpanExporter, name: str) -> list[ReadableSpan]:
    return [span for span in spans.get_finished_spans() if span.name == name]


def _trace_ids(spans: Sequence[ReadableSpan]) -> set[int]:
    return {span.context.trace_id for span in spans if span.context}


class TestLocalBus:
    async def test_the_handler_is_in_the_trace_of_the_publisher(
        self, database: Database, bus: LocalBus, clock: ManualClock, spans: InMemorySpanExporter
    ) -> None:
        seen = await _through(bus, database, clock, [0xA1])
        assert seen.traces == {"s0": 0xA1}
        (span,) = _named(spans, "traced handle")
        assert span.parent
        assert span.parent.span_id == 0xC0FFEE

    async def test_a_batch_of_several_traces_has_a_span_in_each_linked_to_its_own_trace(
        self, database: Database, bus: LocalBus, clock: ManualClock, spans: InMemorySpanExporter
    ) -> None:
        await _through(bus, database, clock, [0xA1, 0xB2, None])
        (batch,) = _named(spans, "traced handle batch")
        assert batch.context
        assert _trace_ids(_named(spans, "traced handle")) == {0xA1, 0xB2}
        assert {link.context.trace_id for link in batch.links} == {0xA1, 0xB2}
        for span in _named(spans, "traced handle"):
            assert [link.context.span_id for link in span.links] == [batch.context.span_id]

    async def test_an_event_without_a_trace_is_handled_without_one(
        self, database: Database, bus: LocalBus, clock: ManualClock, spans: InMemorySpanExporter
    ) -> None:
        assert (await _through(bus, database, clock, [None])).traces == {"s0": 0}
        assert _named(spans, "traced handle") == []


@pytest.fixture
async def kafka(kafka_settings: KafkaSettings) -> AsyncGenerator[KafkaBus]:
    async with KafkaBus(kafka_settings, topics=(SESSIONS,)) as opened:
        yield opened


@pytest.mark.docker
class TestKafka:
    async def test_the_handler_is_in_the_trace_of_the_publisher(
        self, database: Database, kafka: KafkaBus, clock: ManualClock, spans: InMemorySpanExporter
    ) -> None:
        async with asyncio.timeout(90):
            seen = await _through(kafka, database, clock, [0xA1])
        assert seen.traces == {"s0": 0xA1}
        assert _trace_ids(_named(spans, "traced handle")) == {0xA1}
