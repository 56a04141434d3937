"""Counts the calls that gates tell. The inbox makes each event count once."""

from collections import Counter
from collections.abc import Sequence
from datetime import date, datetime

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.call_statistics.histogram import FAILED, UNTIMED, bucket_of
from mlpcore.features.call_statistics.periods import Added, PeriodKey, PeriodRepository, Step, kept_since, start_of
from mlpcore.features.call_statistics.repository import CallStatisticsRepository, Key
from mlpcore.features.call_statistics.service import first_day
from mlpcore.state import CoreState
from mlplace_contracts.events import CallsFailed, Event, UsageRecorded
from mlplace_contracts.topics import FAILED_CALLS, USAGE
from mlplace_runtime.bus.consumer import Consumer


def call_statistics_consumer(state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        now = state.clock.now()
        await CallStatisticsRepository(session).add(_counts(events, first_day(now)))
        await PeriodRepository(session).add(_periods(events, now))

    return Consumer("mlpcore.call-statistics", (USAGE, FAILED_CALLS), (UsageRecorded, CallsFailed), handle)


def _counts(events: Sequence[Event], since: date) -> Counter[Key]:
    """Leaves out days that would be deleted at once, and trainings, which take hours."""
    counts: Counter[Key] = Counter()
    for event in events:
        if isinstance(event, UsageRecorded) and event.operation != "fit":
            key = (event.model_id, event.occurred_at.date(), _bucket(event))
            counts[key] += 1
        elif isinstance(event, CallsFailed):
            counts[event.model_id, event.occurred_at.date(), FAILED] += max(0, event.count)
    return Counter({key: count for key, count in counts.items() if count and key[1] >= since})


def _periods(events: Sequence[Event], now: datetime) -> dict[PeriodKey, Added]:
    """Sums the calls of each minute and hour that is still kept, without trainings."""
    calls: Counter[PeriodKey] = Counter()
    amounts: Counter[PeriodKey] = Counter()
    for event in events:
        if isinstance(event, UsageRecorded) and event.operation != "fit":
            bucket, count, amount = _bucket(event), 1, event.amount_nano
        elif isinstance(event, CallsFailed):
            bucket, count, amount = FAILED, max(0, event.count), 0
        else:
            continue
        for step in Step:
            start = start_of(event.occurred_at, step)
            if count and start >= kept_since(now, step):
                calls[event.model_id, step, start, bucket] += count
                amounts[event.model_id, step, start, bucket] += amount
    return {key: Added(count, amounts[key]) for key, count in calls.items()}


def _bucket(event: UsageRecorded) -> int:
    """An answer without an instance came from a cache; methods other than predict may do something else entirely."""
    timed = event.operation == "predict" and event.instance_id is not None
    return bucket_of(event.model_time_ms) if timed else UNTIMED
