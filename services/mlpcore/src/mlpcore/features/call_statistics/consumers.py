"""Counts the calls that gates tell. The inbox makes each event count once."""

from collections import Counter
from collections.abc import Sequence
from datetime import date

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.call_statistics.histogram import FAILED, UNTIMED, bucket_of
from mlpcore.features.call_statistics.repository import CallStatisticsRepository, Key
from mlpcore.features.call_statistics.service import first_day
from mlpcore.state import CoreState
from mlplace_contracts.events import CallsFailed, Event, UsageRecorded
from mlplace_contracts.topics import FAILED_CALLS, USAGE
from mlplace_runtime.bus.consumer import Consumer


def call_statistics_consumer(state: CoreState) -> Consumer:
    async def handle(session: AsyncSession, events: Sequence[Event]) -> None:
        await CallStatisticsRepository(session).add(_counts(events, first_day(state.clock.now())))

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


def _bucket(event: UsageRecorded) -> int:
    """An answer without an instance came from a cache; methods other than predict may do something else entirely."""
    timed = event.operation == "predict" and event.instance_id is not None
    return bucket_of(event.model_time_ms) if timed else UNTIMED
