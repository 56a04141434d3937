"""Ends instances of a group that allows eviction, so that those that wait for room get it."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final, Literal

from mlpcore.features.instances.eviction_repository import EvictionRepository, Holder
from mlpcore.features.instances.lifecycle.placing import Candidate
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tasks import InstanceTasks
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.account_room import AccountRoom
from mlpcore.features.placement.choice import Place, choose
from mlpcore.features.placement.eviction import Evictions, Held, Wanted, plan
from mlpcore.features.placement.needs import Service
from mlpcore.features.placement.room import Room
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.scaling_rules.service import ScalingRules
from mlpcore.metrics import INSTANCES_EVICTED
from mlplace_contracts.enums import HostingType
from mlplace_kit.clock import Clock

Scope = Literal["account", "resource group"]
UNUSED: Final = timedelta(days=2)
"""In a group that others may use, only services that were not called for so long are evicted."""
_AT_ONCE = 50
"""So many waiting instances get room by eviction in one pass; each is a search of its own."""


@dataclass(frozen=True, slots=True)
class Crowded:
    """An instance that got no place, and its model."""

    instance: Candidate
    service: Service


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
        rooms: Sequence[Room],
        accounts: Mapping[int, AccountRoom],
        crowded: Sequence[Crowded],
    ) -> None:
        """Evicts what the crowded ones need, the longest waiting first. They are placed when the others have ended.

        The caller holds the group. `rooms` and `accounts`: what is left after the pass.
        """
        holders = await self._repository.holders(group.group_id)
        by_id = {holder.instance.instance_id: holder for holder in holders}
        rooms, accounts = deepcopy(list(rooms)), deepcopy(dict(accounts))
        for holder in holders:
            if holder.instance.state == InstanceState.REMOVING:
                _give_back(rooms, accounts, holder, counted=False)
        evictable = await self._evictable(group, holders)
        hopeless: set[tuple[object, ...]] = set()
        for each in crowded[:_AT_ONCE]:
            wanted = self._wanted(each)
            key = (wanted.needs, wanted.account_id, wanted.model_id, wanted.derived)
            found = None if key in hopeless else plan(rooms, accounts[wanted.account_id], evictable.values(), wanted)
            if found is None:
                hopeless.add(key)
                continue
            for scope, chosen in _by_scope(found):
                for held in chosen:
                    del evictable[held.instance_id]
                    if await self._evict(by_id[held.instance_id], scope):
                        _give_back(rooms, accounts, by_id[held.instance_id], counted=True)
            place = choose(rooms, wanted.needs, wanted.ready_by)
            if isinstance(place, Place):  # the next one finds this room taken
                place.room.take(wanted.needs, place.gpus)
                accounts[wanted.account_id].take(wanted.needs, derived=wanted.derived)

    async def _evictable(self, group: ResourceGroup, holders: Sequence[Holder]) -> dict[int, Held]:
        now = self._clock.now()
        by_model = defaultdict[int, list[Held]](list)
        models = {holder.model.model_id: holder.model for holder in holders}
        for holder in holders:
            instance = holder.instance
            if holder.busy or instance.state not in {"SCHEDULED", "STARTED", "FAILED"} or instance.server_id is None:
                continue
            used_at = max(holder.last_activity_at or instance.start_requested_at, instance.start_requested_at)
            if group.access != "PRIVATE" and now - used_at < UNUSED:
                continue
            by_model[instance.model_id].append(_held(holder, instance.server_id, used_at))
        active = await self._repository.active(list(by_model))
        found: dict[int, Held] = {}
        for model_id, helds in by_model.items():
            most = max(0, active[model_id] - await self._protected(models[model_id], now))
            found |= {held.instance_id: held for held in sorted(helds, key=lambda held: held.age)[:most]}
        return found

    async def _evict(self, holder: Holder, scope: Scope) -> bool:
        locked = await self._repository.lock(holder.instance.instance_id, holder.model.model_id)
        if locked is None:
            return False
        instance, request = locked
        request.set_requested(max(0, request.requested - 1), self._clock.now())
        await self._tasks.evicted(holder.model, instance)
        await self._lifecycle.evict(instance, scope=scope)
        INSTANCES_EVICTED.labels(scope=scope).inc()
        return True

    async def _protected(self, model: Model, now: datetime) -> int:
        """Returns how many instances of the model nobody may evict: autoscaling would request them again at once."""
        if model.hosting_type != HostingType.AUTOMATIC:
            return model.min_instances_count
        return max(model.min_instances_count, (await self._rules.of_model(model)).bounds(now).least)

    def _wanted(self, each: Crowded) -> Wanted:
        return Wanted(
            each.service.model_id,
            each.instance.account_id,
            each.instance.derived,
            each.service.needs,
            self._clock.now() + timedelta(seconds=each.service.start_seconds),
        )


def _by_scope(found: Evictions) -> Sequence[tuple[Scope, Sequence[Held]]]:
    return ("account", found.of_account), ("resource group", found.of_group)


def _held(holder: Holder, server_id: int, used_at: datetime) -> Held:
    return Held(
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


def _give_back(rooms: Sequence[Room], accounts: Mapping[int, AccountRoom], holder: Holder, *, counted: bool) -> None:
    """`counted`: the instance counts among its account's; one that is being removed does not."""
    instance = holder.instance
    for room in rooms:
        if room.server_id == instance.server_id:
            room.give_back(holder.needs, dict(holder.gpus))
    if (account := accounts.get(instance.account_id)) is not None:
        account.give_back(holder.needs, derived=instance.derived if counted else None)
