"""Ends instances of a group that allows eviction, so that those that wait for room get it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.placements import OnServer
from mlpcore.features.instances.scheduling.eviction_repository import EvictionRepository, Holder
from mlpcore.features.instances.scheduling.eviction_search import Eviction, EvictionSearch
from mlpcore.features.instances.scheduling.placing import Candidate
from mlpcore.features.instances.states import LEAVING, InstanceState
from mlpcore.features.instances.tasks import InstanceTasks
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.account_room import AccountRoom
from mlpcore.features.placement.eviction import PlacedInstance, WaitingInstance
from mlpcore.features.placement.needs import Needs, ServiceNeeds
from mlpcore.features.placement.room import FreeRoom
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.scaling_rules.service import ScalingRules
from mlpcore.metrics import INSTANCES_EVICTED
from mlplace_contracts.enums import HostingType
from mlplace_kit.clock import Clock

UNUSED: Final = timedelta(days=2)
"""In a group that others may use, only services that were not called for so long are evicted."""
SEARCHES: Final = 50
"""So many searches for what could go are made in one pass. Half of them are for those that wait longest; the others
take turns."""
RECENT: Final = timedelta(minutes=2)
"""Who was started or called so recently is evicted in no group: two services would evict each other in turns."""


@dataclass(frozen=True, slots=True)
class Relief:
    """The instances that get room by eviction. `contended`: others hold the lock of an instance that has to go."""

    helped: frozenset[int] = frozenset()
    contended: bool = False


@dataclass(frozen=True, slots=True)
class Crowded:
    """An instance that got no place, and its model."""

    instance: Candidate
    service: ServiceNeeds


class Evictor:
    def __init__(
        self,
        repository: EvictionRepository,
        lifecycle: Lifecycle,
        tasks: InstanceTasks,
        rules: ScalingRules,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._lifecycle = lifecycle
        self._tasks = tasks
        self._rules = rules
        self._clock = clock

    async def make_room(
        self,
        group: ResourceGroup,
        rooms: Sequence[FreeRoom],
        accounts: Mapping[int, AccountRoom],
        crowded: Sequence[Crowded],
        *,
        ahead: Sequence[Crowded] = (),
        all_or_none: bool = False,
    ) -> Relief:
        """Evicts what the crowded ones need, the longest waiting first. They are placed when there is room.

        `ahead`: who gets room before them, if there is any without an eviction. With `all_or_none`, evicts nobody
        unless all get room.

        The caller holds the group. `rooms`: what is left after the pass; `accounts`: what the accounts will have left
        when the instances that are leaving or moving have ended.
        """
        holders = await self._repository.holders(group.group_id)
        evictable = await self._evictable(group, holders)
        search = EvictionSearch(
            self._repository,
            holders,
            evictable,
            [room.copy() for room in rooms],
            {key: room.copy() for key, room in accounts.items()},
        )
        full: set[Needs] = set()
        for wanted in map(self._wanted, ahead):
            if wanted.needs not in full and not search.reserve(wanted):
                full.add(wanted.needs)
        for each in crowded if all_or_none else _in_turns(crowded, self._clock.now()):
            if search.count < SEARCHES:
                await search.relieve(each.instance.instance_id, self._wanted(each))
        if not all_or_none or len(search.helped) == len(crowded):
            for eviction in search.evictions:
                await self._evict(eviction)
        return Relief(frozenset(search.helped), search.contended)

    async def _evictable(self, group: ResourceGroup, holders: Sequence[Holder]) -> dict[int, PlacedInstance]:
        now = self._clock.now()
        by_model = defaultdict[int, list[PlacedInstance]](list)
        models = {holder.model.model_id: holder.model for holder in holders}
        for holder in holders:
            instance = holder.instance
            placement, leaving = instance.placement, InstanceState(instance.state) in LEAVING
            if holder.busy or holder.moving or leaving or not isinstance(placement, OnServer):
                continue
            used_at = max(holder.last_activity_at or instance.start_requested_at, instance.start_requested_at)
            if now - used_at < (RECENT if group.access == "PRIVATE" else UNUSED):
                continue
            by_model[instance.model_id].append(_held(holder, placement.server_id, used_at))
        staying = await self._repository.staying(list(by_model))
        found: dict[int, PlacedInstance] = {}
        for model_id, helds in by_model.items():
            most = max(0, staying[model_id] - await self._protected(models[model_id], now))
            found |= {held.instance_id: held for held in sorted(helds, key=lambda held: held.age)[:most]}
        return found

    async def _evict(self, eviction: Eviction) -> None:
        request = eviction.request
        request.set_requested(max(0, request.requested - 1), self._clock.now())
        await self._tasks.evicted(eviction.model, eviction.instance)
        await self._lifecycle.evict(eviction.instance, scope=eviction.scope)
        self._repository.after_commit(INSTANCES_EVICTED.labels(scope=eviction.scope).inc)

    async def _protected(self, model: Model, now: datetime) -> int:
        """Returns how many instances of the model nobody may evict: autoscaling would request them again at once."""
        if model.hosting_type != HostingType.AUTOMATIC:
            return model.min_instances_count
        return max(model.min_instances_count, (await self._rules.of_model(model)).bounds(now).least)

    def _wanted(self, each: Crowded) -> WaitingInstance:
        return WaitingInstance(
            each.service.model_id,
            each.instance.account_id,
            each.instance.derived,
            each.service.needs,
            self._clock.now() + timedelta(seconds=each.service.start_seconds),
        )


def _in_turns(crowded: Sequence[Crowded], now: datetime) -> Sequence[Crowded]:
    """Returns those that wait longest first, and the others from another one on in each pass."""
    first, others = crowded[: SEARCHES // 2], crowded[SEARCHES // 2 :]
    turn = int(now.timestamp()) % max(1, len(others))
    return [*first, *others[turn:], *others[:turn]]


def _held(holder: Holder, server_id: int, used_at: datetime) -> PlacedInstance:
    return PlacedInstance(
        instance_id=holder.instance.instance_id,
        model_id=holder.instance.model_id,
        account_id=holder.instance.account_id,
        server_id=server_id,
        derived=holder.instance.derived,
        needs=holder.needs,
        gpus=holder.gpus,
        used_at=used_at,
        model_created_at=holder.model.created_at,
    )
