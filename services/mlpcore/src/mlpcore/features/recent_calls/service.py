"""What owners see of the recent calls of their models."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

from mlpcore.features.call_statistics.histogram import Counted
from mlpcore.features.call_statistics.periods import SHOWN, Period, PeriodRepository, Step, shown_since
from mlpcore.features.recent_calls.repository import OwnModels
from mlpcore.features.recent_calls.schemas import CallPointData, CallSeriesData, ModelRecentCallsData
from mlplace_kit.clock import Clock, to_milliseconds
from mlplace_kit.money import from_nano

MOST_MODELS: Final = 100
"""Models of one request."""
_NOTHING = Period(Counted({}), 0)
_NEARLY_ALL = 0.95


class RecentCalls:
    def __init__(self, periods: PeriodRepository, models: OwnModels, clock: Clock) -> None:
        self._periods = periods
        self._models = models
        self._clock = clock

    async def of_model(self, model_id: int, step: Step) -> CallSeriesData:
        """Returns a point for each period up to the current one, and their sum."""
        since = shown_since(self._clock.now(), step)
        found = await self._periods.of_models([model_id], step, since=since)
        periods = _in_order(found.get(model_id, {}), since, step)
        return CallSeriesData(
            step_sec=step.value,
            points=[_point(at, period) for at, period in periods],
            total=_point(since, _sum([period for _, period in periods])),
        )

    async def of_account(self, account_id: int, model_ids: Sequence[int]) -> list[ModelRecentCallsData]:
        """Returns the hours of the last day of each of the models that belongs to the account."""
        since = shown_since(self._clock.now(), Step.HOUR)
        own = await self._models.of(account_id, model_ids)
        found = await self._periods.of_models(own, Step.HOUR, since=since)
        return [_recent(model_id, _in_order(found.get(model_id, {}), since, Step.HOUR)) for model_id in own]


def _in_order(found: Mapping[datetime, Period], since: datetime, step: Step) -> list[tuple[datetime, Period]]:
    starts = [since + timedelta(seconds=step * number) for number in range(SHOWN[step])]
    return [(start, found.get(start, _NOTHING)) for start in starts]


def _sum(periods: Sequence[Period]) -> Period:
    buckets: Counter[int] = Counter()
    for period in periods:
        buckets.update(period.counted.buckets)
    return Period(Counted(buckets), sum(period.amount_nano for period in periods))


def _point(at: datetime, period: Period) -> CallPointData:
    counted = period.counted
    return CallPointData(
        timestamp=to_milliseconds(at),
        calls=counted.answered + counted.failed,
        failed_calls=counted.failed,
        median_latency_ms=counted.median_ms,
        p95_latency_ms=counted.quantile_ms(_NEARLY_ALL),
        amount=from_nano(period.amount_nano),
    )


def _recent(model_id: int, hours: Sequence[tuple[datetime, Period]]) -> ModelRecentCallsData:
    total = _sum([period for _, period in hours])
    return ModelRecentCallsData(
        model_id=model_id,
        calls=total.counted.answered + total.counted.failed,
        failed_calls=total.counted.failed,
        amount=from_nano(total.amount_nano),
        calls_per_hour=[period.counted.answered + period.counted.failed for _, period in hours],
    )
