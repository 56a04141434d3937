"""The series of accounts and of resource groups, by name. Only what a request names is read."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final

from mlpcore.features.metrics import series
from mlpcore.features.metrics.kinds import CallKind, GaugeKind, ServerFigure, State, UseFigure
from mlpcore.features.metrics.names import AccountMetric, NodeMetric
from mlpcore.features.metrics.reading_repository import SampleReader, TierSpan
from mlpcore.features.metrics.series import Series
from mlpcore.features.metrics.sources import GPUS_PER_PERCENT
from mlpcore.features.metrics.spans import of_states

_A, _N = AccountMetric, NodeMetric
_HELD: Final = {
    _A.CPU_REQUESTED: State.CPU,
    _A.RAM_REQUESTED: State.RAM,
    _A.DISK_REQUESTED: State.DISK,
    _A.GPU_REQUESTED: State.GPUS,
}
_LIMITS: Final = {
    _A.CPU_LIMIT: State.CPU_LIMIT,
    _A.RAM_LIMIT: State.RAM_LIMIT,
    _A.DISK_LIMIT: State.DISK_LIMIT,
    _A.GPU_LIMIT: State.GPU_LIMIT,
}
_USES_OF_ACCOUNT: Final = {_A.CPU_USAGE: UseFigure.CPU, _A.RAM_USAGE: UseFigure.RAM}
_PREDICTS: Final = {_A.PREDICTS_TOTAL, _A.PREDICTS_EXCEEDED}
_ROOM: Final = {
    _N.CPU_REQUESTED: ServerFigure.HELD_CPU,
    _N.CPU_CAPACITY: ServerFigure.CPU,
    _N.CPU_ALLOCATABLE: ServerFigure.CPU,
    _N.RAM_REQUESTED: ServerFigure.HELD_RAM,
    _N.RAM_CAPACITY: ServerFigure.RAM,
    _N.RAM_ALLOCATABLE: ServerFigure.RAM,
    _N.DISK_REQUESTED: ServerFigure.HELD_DISK,
    _N.DISK_ALLOCATABLE: ServerFigure.DISK,
    _N.GPU_PODS_COUNT: ServerFigure.GPU_INSTANCES,
    _N.GPU_PODS_LIMIT: ServerFigure.GPUS,
    _N.GPU_LIMIT: ServerFigure.GPUS,
    _N.VRAM_LIMIT: ServerFigure.VRAM,
}
_USES_OF_NODE: Final = {
    _N.CPU_USAGE: (UseFigure.CPU, 1.0),
    _N.RAM_USAGE: (UseFigure.RAM, 1.0),
    _N.DISK_USAGE: (UseFigure.DISK, 1.0),
    _N.GPU_USAGE: (UseFigure.GPU_PERCENT, GPUS_PER_PERCENT),
    _N.VRAM_USAGE: (UseFigure.VRAM, 1.0),
}


class AccountSeries:
    """Trainings are not counted, so their metrics have no points."""

    def __init__(self, reader: SampleReader) -> None:
        self._reader = reader

    async def read(
        self, account_id: int, model_ids: Sequence[int], wanted: Collection[AccountMetric], span: TierSpan
    ) -> Mapping[AccountMetric, Series]:
        """`model_ids`: the models of the account, deleted ones too."""
        names, found = set(wanted), dict[AccountMetric, Series]()
        if names & {*_HELD, *_LIMITS}:
            states = of_states(span)
            rows = (await self._reader.gauges(GaugeKind.ACCOUNT_STATE, [account_id], states)).get(account_id, {})
            noted = (await self._reader.gauges(GaugeKind.NOTED, [0], states)).get(0, {})
            found |= {name: series.figure(rows, _HELD[name], noted=noted) for name in names & set(_HELD)}
            found |= {name: series.figure(rows, _LIMITS[name]) for name in names & set(_LIMITS)}
        if chosen := names & set(_USES_OF_ACCOUNT):
            used = await self._reader.gauges(GaugeKind.INSTANCE, model_ids, span)
            for name in chosen:
                found[name] = series.added([series.figure(rows, _USES_OF_ACCOUNT[name]) for rows in used.values()])
        if names & _PREDICTS:
            calls = (await self._reader.calls(CallKind.CALLER, [account_id], span)).get(account_id, {})
            covered = await self._reader.covered(span)
            total = series.per_minute(calls, covered, lambda one: one.answered + one.refused)
            exceeded = series.per_minute(calls, covered, lambda one: one.refused)
            found |= {_A.PREDICTS_TOTAL: total, _A.PREDICTS_EXCEEDED: exceeded}
        return {name: found[name] for name in names if name in found}

    async def first(self, account_id: int, model_ids: Sequence[int], metric: AccountMetric) -> datetime | None:
        if metric in _PREDICTS:
            return await self._reader.first_call(CallKind.CALLER, [account_id])
        if metric in _USES_OF_ACCOUNT:
            return await self._reader.first_gauge(GaugeKind.INSTANCE, model_ids)
        if metric in {*_HELD, *_LIMITS}:
            return await self._reader.first_gauge(GaugeKind.ACCOUNT_STATE, [account_id])
        return None


class NodeSeries:
    def __init__(self, reader: SampleReader) -> None:
        self._reader = reader

    async def read(
        self, group_id: int, wanted: Collection[NodeMetric], span: TierSpan, *, server_ids: Sequence[int] | None
    ) -> Mapping[NodeMetric, Series]:
        """Returns the sums over these servers of the group, or over all servers that it had at the time."""
        names, found = set(wanted), dict[NodeMetric, Series]()
        if chosen := names & set(_ROOM):
            states = of_states(span)
            rows = await self._reader.gauges(GaugeKind.SERVER_STATE, [group_id], states, subject_ids=server_ids)
            found |= {name: series.figure(rows.get(group_id, {}), _ROOM[name]) for name in chosen}
        if chosen := names & set(_USES_OF_NODE):
            used = await self._reader.gauges(GaugeKind.SERVER, [group_id], span, subject_ids=server_ids)
            for name in chosen:
                position, scale = _USES_OF_NODE[name]
                found[name] = series.figure(used.get(group_id, {}), position, scale=scale)
        return found

    async def first(self, group_id: int, metric: NodeMetric, *, server_ids: Sequence[int] | None) -> datetime | None:
        kind = GaugeKind.SERVER if metric in _USES_OF_NODE else GaugeKind.SERVER_STATE
        return await self._reader.first_gauge(kind, [group_id], subject_ids=server_ids)
