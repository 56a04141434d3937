"""What was recorded of a model's load: one entry for each minute, in which gates and agents reported it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mlpcore.features.autoscaling.replay import Recorded
from mlpcore.features.metrics.kinds import CallKind, GaugeKind, State, UseFigure
from mlpcore.features.metrics.reading_repository import Calls, SampleReader, TierSpan
from mlpcore.features.metrics.tiers import MINUTE
from mlpcore.features.models.tables import Model

_MILLI: Final = 1000.0
_NO_CALLS: Final = Calls()


@dataclass(frozen=True, slots=True)
class Record:
    """`instances`: those that were present in each minute; None: unknown. `p95_wait_ms`: of all calls; None: none."""

    since: datetime
    minutes: Sequence[Recorded]
    instances: Sequence[float | None]
    p95_wait_ms: float | None


class RecordedLoads:
    def __init__(self, reader: SampleReader) -> None:
        self._reader = reader

    async def read(self, model: Model, *, hours: int, now: datetime) -> Record:
        """Returns the last whole minutes."""
        until = MINUTE.start_of(now)
        since = until - timedelta(hours=hours)
        span = TierSpan(MINUTE, since, until, MINUTE.step, now)
        calls = (await self._reader.calls(CallKind.MODEL, [model.model_id], span)).get(model.model_id, {})
        covered = await self._reader.covered(span)
        used = (await self._reader.gauges(GaugeKind.INSTANCE, [model.model_id], span)).get(model.model_id, {})
        states = (
            await self._reader.gauges(
                GaugeKind.MODEL_STATE, [model.account_id], span, subject_ids=[model.model_id], by_subject=True
            )
        ).get(model.model_id, {})
        noted = (await self._reader.gauges(GaugeKind.NOTED, [0], span)).get(0, {})
        starts = [since + MINUTE.step * number for number in range(hours * 60)]
        return Record(
            since,
            [_minute(calls.get(at, _NO_CALLS), used.get(at), known=at in covered) for at in starts],
            [states[at][State.INSTANCES - 1] if at in states else 0.0 if at in noted else None for at in starts],
            await self._p95(model.model_id, span, list(calls.values())),
        )

    async def _p95(self, model_id: int, span: TierSpan, calls: Sequence[Calls]) -> float | None:
        """Calls that did not wait count as waits of 0."""
        ended = sum(each.answered + each.failed + each.refused for each in calls)
        waited = sum(each.waited for each in calls)
        total = max(ended, waited)
        if not total:
            return None
        part = (waited - 0.05 * total) / waited if waited else 0.0
        if part <= 0:
            return 0.0
        whole = TierSpan(span.tier, span.since, span.until, span.until - span.since, span.now, origin=span.since)
        found = (await self._reader.histograms(CallKind.MODEL, [model_id], whole)).get(model_id, {})
        quantiles = [each.waits.quantile_ms(part) for each in found.values()]
        return next((float(value) for value in quantiles if value is not None), None)


def _minute(calls: Calls, used: Sequence[float | None] | None, *, known: bool) -> Recorded:
    seconds = calls.time_ms / calls.timed / _MILLI if calls.timed else None
    ended = calls.answered + calls.failed
    return Recorded(
        calls=float(ended),
        call_seconds=seconds,
        open_calls=max(0.0, calls.active_ms / _MILLI - ended * (seconds or 0.0)) / MINUTE.seconds,
        milli_cpu=None if used is None else used[UseFigure.CPU - 1],
        known=known,
    )
