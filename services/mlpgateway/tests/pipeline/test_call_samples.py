"""What a gate counts of its calls in an interval, and how it reports that."""

import asyncio
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import pytest

from mlpgateway.errors.calls import PredictTimeout, QueueFull, UsageNotRecorded
from mlpgateway.policy.call_samples.counting import CallCounting
from mlpgateway.policy.call_samples.reporter import SampleReporter, next_end
from mlpgateway.policy.call_samples.totals import CallTotals
from mlplace_contracts.events import CallsSampled, Event, InstanceSample
from mlplace_kit.clock import ManualClock, SystemClock
from mlplace_kit.errors import DomainError
from mlplace_testing.waiting import eventually


@dataclass
class Call:
    """A call as the pipeline knows it."""

    model_id: int = 1
    caller_id: int = 9
    instance: int = 5
    waits_for: str = "answer"
    waited_seconds: float = 0.0
    counts: bool = True
    ended_well: bool = True
    error: DomainError | None = None
    service_seconds: float | None = None


class Watch:
    """A monotonic clock that a test moves."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> Watch:
    return Watch()


@pytest.fixture
def counting(watch: Watch) -> CallCounting:
    return CallCounting(watch)


def one(counting: CallCounting) -> InstanceSample:
    (found,) = counting.close_interval()[0]
    return found


class TestCounting:
    def test_ended_call_counts_with_its_times(self, counting: CallCounting, watch: Watch) -> None:
        tracked = counting.began(Call(waited_seconds=0.2, service_seconds=0.3))
        watch.seconds += 0.5
        counting.ended(tracked)
        sample = one(counting)
        assert (sample.model_id, sample.instance_id, sample.answered, sample.failed) == (1, 5, 1, 0)
        assert (sample.active_ms, sample.waiting_ms) == (300, 200)
        assert (sample.timed, sample.time_ms, sample.min_ms, sample.max_ms) == (1, 300, 300, 300)
        assert (sample.waited, sample.wait_ms, sample.max_wait_ms) == (1, 200, 200)
        assert (sample.time_counts, sample.wait_counts) == ((1,), (1,))

    def test_long_call_is_divided_among_the_intervals(self, counting: CallCounting, watch: Watch) -> None:
        call = Call(waits_for="queue", instance=0)
        tracked = counting.began(call)
        watch.seconds += 4
        assert (one(counting).waiting_ms, watch.seconds) == (4000, 104)
        watch.seconds += 2
        call.waits_for, call.waited_seconds, call.instance = "answer", 6.0, 5
        watch.seconds += 3
        busy = one(counting)
        assert (busy.instance_id, busy.active_ms, busy.waiting_ms, busy.answered) == (5, 3000, 2000, 0)
        watch.seconds += 1
        counting.ended(tracked)
        last = one(counting)
        assert (last.answered, last.waiting_ms, last.active_ms) == (1, 0, 1000)

    def test_only_faults_of_the_service_are_failures(self, counting: CallCounting) -> None:
        for error in (PredictTimeout(seconds="1", phase="answer"), QueueFull(waiting="1", phase="queue"), None):
            counting.ended(counting.began(Call(ended_well=False, error=error)))
        sample = one(counting)
        assert (sample.answered, sample.failed, sample.refused) == (0, 1, 2)

    def test_call_that_fails_while_it_waits_has_waited(self, counting: CallCounting, watch: Watch) -> None:
        tracked = counting.began(Call(waits_for="start", ended_well=False, instance=0))
        watch.seconds += 7
        counting.ended(tracked)
        sample = one(counting)
        assert (sample.waiting_ms, sample.active_ms, sample.waited, sample.max_wait_ms) == (7000, 0, 1, 7000)

    def test_file_of_a_page_keeps_the_instance_busy_but_is_no_call(self, counting: CallCounting, watch: Watch) -> None:
        tracked = counting.began(Call(counts=False))
        watch.seconds += 1
        counting.ended(tracked)
        sample = one(counting)
        assert (sample.answered, sample.active_ms) == (0, 1000)
        assert counting.close_interval() == ([], [])

    def test_callers_count_with_what_exceeded_their_limit(self, counting: CallCounting) -> None:
        counting.ended(counting.began(Call()))
        counting.exceeded(9)
        (caller,) = counting.close_interval()[1]
        assert (caller.account_id, caller.calls, caller.exceeded) == (9, 2, 1)

    def test_first_stream_of_an_instance_is_no_reconnect(self, counting: CallCounting) -> None:
        counting.connected(1, 5)
        assert counting.close_interval() == ([], [])
        counting.connected(1, 5)
        assert one(counting).reconnects == 1


class Known:
    """Satisfies Owners: every model and instance exists."""

    def account_of(self, model_id: int) -> int | None:
        return model_id

    def accepts_connections(self, instance_id: int) -> bool:
        return instance_id > 0


class Outbox:
    """Satisfies Writer. While `away`, writes fail after they may have been done."""

    def __init__(self) -> None:
        self.events: list[CallsSampled] = []
        self.away = False

    def add(self, event: Event) -> "asyncio.Future[None]":
        assert isinstance(event, CallsSampled)
        self.events.append(event)
        written: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if self.away:
            written.set_exception(UsageNotRecorded())
        else:
            written.set_result(None)
        return written


class TestReporter:
    async def test_failed_write_is_repeated_with_the_same_sequence(self, counting: CallCounting) -> None:
        clock, outbox = ManualClock(datetime(2026, 1, 1, tzinfo=UTC)), Outbox()
        reporter = SampleReporter(counting, outbox, clock, seconds=10)
        counting.ended(counting.began(Call()))
        outbox.away = True
        clock.advance(timedelta(seconds=10))
        reporter.close_interval()
        await reporter.write_all()
        outbox.away = False
        clock.advance(timedelta(seconds=10))
        reporter.close_interval()
        await reporter.write_all()
        assert [event.sequence for event in outbox.events] == [1, 1, 2]
        assert outbox.events[0] == outbox.events[1]
        assert [sum(s.answered for s in event.instances) for event in outbox.events] == [1, 1, 0]
        assert outbox.events[2].started_at == outbox.events[1].ended_at

    async def test_large_report_is_split(self, counting: CallCounting) -> None:
        clock, outbox = ManualClock(datetime(2026, 1, 1, tzinfo=UTC)), Outbox()
        reporter = SampleReporter(counting, outbox, clock, seconds=10)
        for number in range(1001):
            counting.ended(counting.began(Call(model_id=number + 1)))
        clock.advance(timedelta(seconds=10))
        reporter.close_interval()
        await reporter.write_all()
        assert [len(event.instances) for event in outbox.events] == [500, 500, 1]
        assert len({(event.started_at, event.ended_at) for event in outbox.events}) == 1
        assert len({event.sequence for event in outbox.events}) == 3
        assert {event.reporter for event in outbox.events} == {uuid.UUID(str(outbox.events[0].reporter))}

    async def test_each_interval_is_added_to_the_totals_in_all_its_parts(self, counting: CallCounting) -> None:
        totals = CallTotals(Known())
        reporter = SampleReporter(counting, Outbox(), SystemClock(), seconds=0.02, totals=totals)
        for number in range(1001):
            counting.ended(counting.began(Call(model_id=number + 1)))
        running = asyncio.create_task(reporter.run())

        async def added() -> int:
            return len(totals.calls())

        await eventually(added, until=lambda count: count == 1001)
        running.cancel()

    async def test_clock_that_was_set_back_makes_no_negative_interval(self, counting: CallCounting) -> None:
        clock, outbox = ManualClock(datetime(2026, 1, 1, tzinfo=UTC)), Outbox()
        reporter = SampleReporter(counting, outbox, clock, seconds=10)
        clock.advance(timedelta(seconds=-3600))
        reporter.close_interval()
        await reporter.write_all()
        assert outbox.events[0].started_at < outbox.events[0].ended_at == clock.now()

    def test_intervals_end_at_whole_multiples(self) -> None:
        start = datetime(2026, 1, 1, tzinfo=UTC)
        assert next_end(start, 10) == 10
        assert next_end(start + timedelta(seconds=7.5), 10) == pytest.approx(2.5)
