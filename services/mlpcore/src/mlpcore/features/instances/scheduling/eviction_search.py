"""Finds the instances that have to end for those that wait, and locks them."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from mlpcore.features.instances.scheduling.eviction_repository import EvictionRepository, Holder
from mlpcore.features.instances.states import InstanceState
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.account_room import AccountRoom
from mlpcore.features.placement.choice import Place, choose
from mlpcore.features.placement.eviction import Evictions, PlacedInstance, WaitingInstance, plan
from mlpcore.features.placement.room import FreeRoom

Scope = Literal["account", "resource group"]


@dataclass(frozen=True, slots=True)
class Eviction:
    """A locked instance that has to go."""

    model: Model
    instance: Instance
    request: HostingRequest
    scope: Scope


class EvictionSearch:
    """Finds out for one instance after the other what has to go, and locks that. Changes `rooms` and `accounts`."""

    def __init__(
        self,
        repository: EvictionRepository,
        holders: Sequence[Holder],
        evictable: dict[int, PlacedInstance],
        rooms: Sequence[FreeRoom],
        accounts: Mapping[int, AccountRoom],
    ) -> None:
        self._repository = repository
        self._holders = {holder.instance.instance_id: holder for holder in holders}
        self._evictable = evictable
        self._rooms = rooms
        self._accounts = accounts
        self._hopeless: set[tuple[object, ...]] = set()
        self.evictions: list[Eviction] = []
        self.helped: set[int] = set()
        self.contended = False
        self.count = 0
        for holder in holders:
            if holder.instance.state == InstanceState.REMOVING:
                self._give_back_room(holder)

    def reserve(self, wanted: WaitingInstance) -> bool:
        """Takes the room that the instance gets without an eviction. Returns whether there is any."""
        account = self._accounts.get(wanted.account_id)
        if account is not None and account.exceeded(wanted.needs, derived=wanted.derived) is not None:
            return False
        place = choose(self._rooms, wanted.needs, wanted.ready_by)
        if not isinstance(place, Place):
            return False
        place.room.take(wanted.needs, place.gpus)
        if account is not None:
            account.take(wanted.needs, derived=wanted.derived)
        return True

    async def relieve(self, instance_id: int, wanted: WaitingInstance) -> None:
        key = (wanted.needs, wanted.account_id, wanted.model_id, wanted.derived)
        if key in self._hopeless:
            return
        self.count += 1
        await asyncio.sleep(0)  # a search takes milliseconds: requests to this process are answered between two
        found = plan(self._rooms, self._accounts[wanted.account_id], self._evictable.values(), wanted)
        if found is None:
            self._hopeless.add(key)
        elif (evictions := await self._locked(found)) is not None:
            for eviction in evictions:
                self._end(eviction)
            if self.reserve(wanted):  # the next one finds this room taken
                self.helped.add(instance_id)

    async def _locked(self, found: Evictions) -> list[Eviction] | None:
        """Locks all that have to go; None if others hold one of them: without it the rest would end in vain."""
        evictions: list[Eviction] = []
        for scope, chosen in _by_scope(found):
            for held in chosen:
                locked = await self._repository.lock(held.instance_id, held.model_id)
                if locked is None:
                    del self._evictable[held.instance_id]
                    self.contended = True
                    return None
                evictions.append(Eviction(self._holders[held.instance_id].model, *locked, scope))
        return evictions

    def _end(self, eviction: Eviction) -> None:
        held = self._evictable.pop(eviction.instance.instance_id)
        holder = self._holders[held.instance_id]
        self.evictions.append(eviction)
        self._give_back_room(holder)
        if (account := self._accounts.get(held.account_id)) is not None:
            account.give_back(holder.needs, derived=held.derived)

    def _give_back_room(self, holder: Holder) -> None:
        for room in self._rooms:
            if room.server_id == holder.instance.server_id:
                room.give_back(holder.needs, dict(holder.gpus))


def _by_scope(found: Evictions) -> Sequence[tuple[Scope, Sequence[PlacedInstance]]]:
    return ("account", found.of_account), ("resource group", found.of_group)
