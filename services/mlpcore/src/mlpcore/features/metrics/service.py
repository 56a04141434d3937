"""Answers questions about metrics. What is not known is absent, never zero."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TypeVar

from mlpcore.features.metrics.names import AccountMetric, InstanceMetric, ModelMetric, NodeMetric
from mlpcore.features.metrics.reading_repository import SampleReader, TierSpan
from mlpcore.features.metrics.schemas import Measurement
from mlpcore.features.metrics.series import Series
from mlpcore.features.metrics.sources import InstanceSeries, ModelSeries
from mlpcore.features.metrics.spans import instant_span, range_span
from mlpcore.features.metrics.subjects_repository import Subjects
from mlpcore.features.metrics.tiers import DAILY, QUARTER
from mlpcore.features.metrics.wider_sources import AccountSeries, NodeSeries
from mlplace_kit.clock import Clock, to_milliseconds
from mlplace_kit.errors import NotFound

_Name = TypeVar("_Name", AccountMetric, ModelMetric, InstanceMetric, NodeMetric)
Values = dict[str, float]
Points = dict[str, list[Measurement]]
_DIGITS = 3
_DIGITS_OF_ID = 18


class MetricService:
    def __init__(
        self,
        models: ModelSeries,
        instances: InstanceSeries,
        accounts: AccountSeries,
        nodes: NodeSeries,
        subjects: Subjects,
        reader: SampleReader,
        clock: Clock,
    ) -> None:
        self._models = models
        self._instances = instances
        self._accounts = accounts
        self._nodes = nodes
        self._subjects = subjects
        self._reader = reader
        self._clock = clock

    async def last(self, *, minutes: int, step_seconds: int) -> TierSpan:
        """Returns the span of the last minutes."""
        span = range_span(self._clock.now(), minutes=minutes, step_seconds=step_seconds)
        if span.tier is DAILY and not await self._reader.has_all_days(span):
            return replace(span, tier=QUARTER)
        return span

    def at(self, milliseconds: int | None) -> TierSpan:
        """Returns the last whole minute before the moment; before now without one."""
        now = self._clock.now()
        return instant_span(now, now if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC))

    # ---- Accounts

    async def account_values(self, account_id: int, names: Collection[AccountMetric], span: TierSpan) -> Values:
        return _values(await self._of_account(account_id, names, span))

    async def account_points(self, account_id: int, names: Collection[AccountMetric], span: TierSpan) -> Points:
        return _points(await self._of_account(account_id, names, span), names)

    async def account_start(self, account_id: int, name: AccountMetric) -> int | None:
        return _moment(await self._accounts.first(account_id, await self._subjects.models_of(account_id), name))

    async def _of_account(
        self, account_id: int, names: Collection[AccountMetric], span: TierSpan
    ) -> Mapping[AccountMetric, Series]:
        return await self._accounts.read(account_id, await self._subjects.models_of(account_id), names, span)

    # ---- Models

    async def model_values(
        self, owners: Mapping[int, int], names: Collection[ModelMetric], span: TierSpan
    ) -> dict[int, Values]:
        """`owners`: the account of each model. Returns the values by model."""
        found = await self._models.read(owners, names, span)
        return {model_id: _values(series) for model_id, series in found.items()}

    async def values_by_id(
        self,
        account_id: int,
        model_ids: Sequence[int],
        names: Collection[ModelMetric],
        span: TierSpan,
        allowed: Callable[[int], bool],
    ) -> dict[int, Values]:
        """Returns the values of those of the models that belong to the account. `allowed`: by the caller's key."""
        found = await self._subjects.own_models(account_id, ids=model_ids)
        return await self.model_values({number: account_id for number in found if allowed(number)}, names, span)

    async def values_by_name(
        self,
        account_id: int,
        model_names: Sequence[str],
        names: Collection[ModelMetric],
        span: TierSpan,
        allowed: Callable[[int], bool],
    ) -> dict[str, Values]:
        """Like `values_by_id`, by the name of the model. An id may stand for a name."""
        ids = [int(name) for name in model_names if name.isascii() and name.isdigit() and len(name) <= _DIGITS_OF_ID]
        found = await self._subjects.own_models(account_id, ids=ids, names=model_names)
        values = await self.model_values({number: account_id for number in found if allowed(number)}, names, span)
        return {found[number]: each for number, each in values.items()}

    async def model_points(
        self, account_id: int, model_id: int, names: Collection[ModelMetric], span: TierSpan
    ) -> Points:
        return _points((await self._models.read({model_id: account_id}, names, span))[model_id], names)

    async def model_start(self, account_id: int, model_id: int, name: ModelMetric) -> int | None:
        return _moment(await self._models.first(account_id, model_id, name))

    # ---- Instances

    async def instance_values(
        self, model_id: int, instance_id: int, names: Collection[InstanceMetric], span: TierSpan
    ) -> Values:
        """Raises NotFound."""
        return _values(await self._of_instance(model_id, instance_id, names, span))

    async def instance_points(
        self, model_id: int, instance_id: int, names: Collection[InstanceMetric], span: TierSpan
    ) -> Points:
        """Raises NotFound."""
        return _points(await self._of_instance(model_id, instance_id, names, span), names)

    async def instance_start(self, model_id: int, instance_id: int) -> int | None:
        """Raises NotFound."""
        await self._existing(model_id, instance_id)
        return _moment(await self._instances.first(model_id, instance_id))

    async def _of_instance(
        self, model_id: int, instance_id: int, names: Collection[InstanceMetric], span: TierSpan
    ) -> Mapping[InstanceMetric, Series]:
        await self._existing(model_id, instance_id)
        held = await self._subjects.held(instance_id)
        limits: dict[InstanceMetric, float] = {}
        if held is not None:
            limits = {
                InstanceMetric.CPU_REQUESTED: float(held.milli_cpu),
                InstanceMetric.RAM_REQUESTED: float(held.ram_mb),
                InstanceMetric.RAM_LIMIT: float(held.ram_mb),
            }
        return await self._instances.read(model_id, instance_id, limits, names, span)

    async def _existing(self, model_id: int, instance_id: int) -> None:
        if not await self._subjects.has_instance(model_id, instance_id):
            raise NotFound(entity="instance")

    # ---- Resource groups

    async def node_values(
        self, account_id: int, group: str, names: Collection[NodeMetric], span: TierSpan, *, node: str | None
    ) -> Values:
        """Raises NotFound."""
        group_id, servers = await self._group(account_id, group, node)
        return _values(await self._nodes.read(group_id, names, span, server_ids=servers))

    async def node_points(
        self, account_id: int, group: str, names: Collection[NodeMetric], span: TierSpan, *, node: str | None
    ) -> Points:
        """Raises NotFound."""
        group_id, servers = await self._group(account_id, group, node)
        return _points(await self._nodes.read(group_id, names, span, server_ids=servers), names)

    async def node_start(self, account_id: int, group: str, name: NodeMetric, *, node: str | None) -> int | None:
        """Raises NotFound."""
        group_id, servers = await self._group(account_id, group, node)
        return _moment(await self._nodes.first(group_id, name, server_ids=servers))

    async def _group(self, account_id: int, name: str, node: str | None) -> tuple[int, Sequence[int] | None]:
        """Returns the group and, when a node is named, its server."""
        group_id = await self._subjects.group(account_id, name)
        if group_id is None:
            raise NotFound(entity="resource group")
        if node is None:
            return group_id, None
        server_id = await self._subjects.server(group_id, node)
        if server_id is None:
            raise NotFound(entity="server")
        return group_id, [server_id]


def _values(series: Mapping[_Name, Series]) -> Values:
    """Returns the newest value of each series that has one."""
    return {name.value: round(points[max(points)], _DIGITS) for name, points in series.items() if points}


def _points(series: Mapping[_Name, Series], names: Collection[_Name]) -> Points:
    """Returns the points of each metric that was asked for, in the order of time; none where nothing is known."""
    return {
        name.value: [
            Measurement(ts=to_milliseconds(at), v=round(value, _DIGITS))
            for at, value in sorted(series.get(name, {}).items())
        ]
        for name in names
    }


def _moment(moment: datetime | None) -> int | None:
    return None if moment is None else to_milliseconds(moment)
