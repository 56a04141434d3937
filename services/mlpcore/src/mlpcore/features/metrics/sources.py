"""The series of models and instances, by name. Only what a request names is read."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Final

from mlpcore.features.metrics import series
from mlpcore.features.metrics.kinds import CallKind, GaugeKind, State, UseFigure
from mlpcore.features.metrics.names import InstanceMetric, ModelMetric
from mlpcore.features.metrics.reading_repository import Calls, SampleReader, TierSpan
from mlpcore.features.metrics.series import Series
from mlpcore.features.metrics.spans import of_states

_M, _I = ModelMetric, InstanceMetric
GPUS_PER_PERCENT: Final = 0.01
_COUNTS: Final[Mapping[ModelMetric, Callable[[Calls], int]]] = {
    _M.SUCCESS: lambda calls: calls.answered,
    _M.FAILED: lambda calls: calls.failed,
    _M.REFUSED: lambda calls: calls.refused,
    _M.RECONNECTS: lambda calls: calls.reconnects,
}
_AT_ONCE: Final[Mapping[ModelMetric, Callable[[Calls], int]]] = {
    _M.ACTIVE: lambda calls: calls.active_ms,
    _M.WAITING: lambda calls: calls.waiting_ms,
}
_KNOWN: Final[Mapping[ModelMetric, Callable[[Calls], float | None]]] = {
    _M.AVERAGE_TIME: series.average_time,
    _M.MIN_TIME: series.least_time,
    _M.MAX_TIME: series.largest_time,
    _M.AVERAGE_WAIT: series.average_wait,
    _M.MAX_WAIT: series.largest_wait,
}
_PERCENTILES: Final = {
    _M.MEDIAN_TIME: (0.5, False),
    _M.P95_TIME: (0.95, False),
    _M.P99_TIME: (0.99, False),
    _M.P95_WAIT: (0.95, True),
}
_STATES: Final = {
    _M.CPU_REQUESTED: State.CPU,
    _M.RAM_REQUESTED: State.RAM,
    _M.RAM_LIMIT: State.RAM,
    _M.INSTANCES: State.INSTANCES,
    _M.CONNECTED: State.CONNECTED,
    _M.GPU_REQUESTED: State.GPUS,
    _M.DISK_REQUESTED: State.DISK,
}
_USES: Final = {
    _M.CPU_USAGE: (UseFigure.CPU, 1.0),
    _M.RAM_USAGE: (UseFigure.RAM, 1.0),
    _M.DISK_USAGE: (UseFigure.DISK, 1.0),
    _M.GPU_USAGE: (UseFigure.GPU_PERCENT, GPUS_PER_PERCENT),
    _M.VRAM_USAGE: (UseFigure.VRAM, 1.0),
}
_AS_MODEL: Final = {
    _I.RECONNECTS: _M.RECONNECTS,
    _I.SUCCESS: _M.SUCCESS,
    _I.FAILED: _M.FAILED,
}
_USES_OF_INSTANCE: Final = {
    _I.CPU_USAGE: (UseFigure.CPU, 1.0),
    _I.RAM_USAGE: (UseFigure.RAM, 1.0),
    _I.DISK_USAGE: (UseFigure.DISK, 1.0),
    _I.GPU_USAGE: (UseFigure.GPU_PERCENT, GPUS_PER_PERCENT),
    _I.VRAM_USAGE: (UseFigure.VRAM, 1.0),
    _I.RESTARTS: (UseFigure.RESTARTS, 1.0),
}


class ModelSeries:
    def __init__(self, reader: SampleReader) -> None:
        self._reader = reader

    async def read(
        self, owners: Mapping[int, int], wanted: Collection[ModelMetric], span: TierSpan
    ) -> Mapping[int, Mapping[ModelMetric, Series]]:
        """Returns the series by model. `owners`: the account of each model. Series without a point are empty."""
        ids = sorted(owners)
        found: dict[int, dict[ModelMetric, Series]] = {model_id: {} for model_id in ids}
        names = set(wanted)
        if names & {*_COUNTS, *_AT_ONCE, *_KNOWN}:
            await self._calls(ids, names, span, found)
        if _M.INSTANT_TIME in names:
            await self._instant(ids, span, found)
        if chosen := names & set(_PERCENTILES):
            histograms = await self._reader.histograms(CallKind.MODEL, ids, span)
            for model_id in ids:
                for name in chosen:
                    part, waits = _PERCENTILES[name]
                    found[model_id][name] = series.percentile(histograms.get(model_id, {}), part, waits=waits)
        if chosen := names & set(_STATES):
            await self._states(owners, chosen, span, found)
        if chosen := names & set(_USES):
            rows = await self._reader.gauges(GaugeKind.INSTANCE, ids, span)
            for model_id in ids:
                for name in chosen:
                    position, scale = _USES[name]
                    found[model_id][name] = series.figure(rows.get(model_id, {}), position, scale=scale)
        return found

    async def first(self, owner: int, model_id: int, metric: ModelMetric) -> datetime | None:
        """Returns since when there are samples."""
        if metric in _STATES:
            return await self._reader.first_gauge(GaugeKind.MODEL_STATE, [owner], subject_ids=[model_id])
        if metric in _USES:
            return await self._reader.first_gauge(GaugeKind.INSTANCE, [model_id])
        return await self._reader.first_call(CallKind.MODEL, [model_id])

    async def _calls(
        self, ids: Sequence[int], names: set[ModelMetric], span: TierSpan, found: dict[int, dict[ModelMetric, Series]]
    ) -> None:
        rows, covered = await self._reader.calls(CallKind.MODEL, ids, span), await self._reader.covered(span)
        for model_id in ids:
            calls, into = rows.get(model_id, {}), found[model_id]
            into |= {name: series.counted(calls, covered, _COUNTS[name]) for name in names & set(_COUNTS)}
            into |= {name: series.at_once(calls, covered, _AT_ONCE[name]) for name in names & set(_AT_ONCE)}
            into |= {name: series.where_known(calls, _KNOWN[name]) for name in names & set(_KNOWN)}

    async def _instant(self, ids: Sequence[int], span: TierSpan, found: dict[int, dict[ModelMetric, Series]]) -> None:
        """The average of the last period of each step that has timed calls."""
        fine = replace(span, step=span.tier.step)
        rows = await self._reader.calls(CallKind.MODEL, ids, fine)
        for model_id in ids:
            averages = series.where_known(rows.get(model_id, {}), series.average_time)
            last: dict[datetime, float] = {}
            for at in sorted(averages):
                last[span.origin + (at - span.origin) // span.step * span.step] = averages[at]
            found[model_id][_M.INSTANT_TIME] = last

    async def _states(
        self,
        owners: Mapping[int, int],
        names: set[ModelMetric],
        span: TierSpan,
        found: dict[int, dict[ModelMetric, Series]],
    ) -> None:
        states, accounts = of_states(span), sorted(set(owners.values()))
        rows = await self._reader.gauges(
            GaugeKind.MODEL_STATE, accounts, states, subject_ids=sorted(owners), by_subject=True
        )
        noted = (await self._reader.gauges(GaugeKind.NOTED, [0], states)).get(0, {})
        for model_id in owners:
            for name in names:
                found[model_id][name] = series.figure(rows.get(model_id, {}), _STATES[name], noted=noted)


class InstanceSeries:
    def __init__(self, reader: SampleReader) -> None:
        self._reader = reader

    async def read(
        self,
        model_id: int,
        instance_id: int,
        limits: Mapping[InstanceMetric, float],
        wanted: Collection[InstanceMetric],
        span: TierSpan,
    ) -> Mapping[InstanceMetric, Series]:
        """`limits`: what the instance holds, as far as it is known; it does not change while the instance runs."""
        names, found = set(wanted), dict[InstanceMetric, Series]()
        if names & {*_AS_MODEL, _I.ACTIVE, _I.AVERAGE_TIME}:
            rows = await self._reader.calls(CallKind.MODEL, [model_id], span, part_id=instance_id)
            calls, covered = rows.get(model_id, {}), await self._reader.covered(span)
            found |= {n: series.counted(calls, covered, _COUNTS[_AS_MODEL[n]]) for n in names & set(_AS_MODEL)}
            if _I.ACTIVE in names:
                found[_I.ACTIVE] = series.at_once(calls, covered, _AT_ONCE[_M.ACTIVE])
            if _I.AVERAGE_TIME in names:
                found[_I.AVERAGE_TIME] = series.where_known(calls, series.average_time)
        used = await self._reader.gauges(GaugeKind.INSTANCE, [model_id], span, subject_ids=[instance_id])
        rows_of_use = used.get(model_id, {})
        for name in names & set(_USES_OF_INSTANCE):
            position, scale = _USES_OF_INSTANCE[name]
            found[name] = series.figure(rows_of_use, position, scale=scale)
        for name in names & set(limits):
            found[name] = dict.fromkeys(rows_of_use, limits[name])
        return found

    async def first(self, model_id: int, instance_id: int) -> datetime | None:
        return await self._reader.first_gauge(GaugeKind.INSTANCE, [model_id], subject_ids=[instance_id])
