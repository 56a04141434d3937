"""What viewers are told about the calls of models."""

from collections.abc import Collection, Mapping
from datetime import date, datetime, timedelta
from typing import Final

from mlpcore.features.call_statistics.histogram import Counted
from mlpcore.features.call_statistics.repository import CallStatisticsRepository
from mlpcore.features.call_statistics.schemas import CallStatisticsData
from mlplace_kit.clock import Clock

DAYS: Final = 30
KEPT_DAYS: Final = 31


class CallStatistics:
    def __init__(self, repository: CallStatisticsRepository, clock: Clock) -> None:
        self._repository = repository
        self._clock = clock

    async def of_models(self, model_ids: Collection[int]) -> Mapping[int, Counted]:
        """Returns the calls of today and of the 29 days before. Models without calls are absent."""
        since = self._clock.now().date() - timedelta(days=DAYS - 1)
        return await self._repository.of_models(model_ids, since=since)


def first_day(now: datetime) -> date:
    """Returns the first day that is kept."""
    return now.date() - timedelta(days=KEPT_DAYS - 1)


def shown(counted: Counted | None) -> CallStatisticsData | None:
    """Returns what everybody sees who sees the model, from its first call on; None without calls."""
    if counted is None or counted.success_rate is None:
        return None
    return CallStatisticsData(
        days=DAYS,
        median_latency_ms=counted.median_ms,
        success_rate=round(counted.success_rate, 4),
        calls=counted.answered + counted.failed,
        failed_calls=counted.failed,
    )
