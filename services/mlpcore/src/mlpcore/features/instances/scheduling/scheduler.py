"""The scheduler: the only code that gives an instance a server.

It reserves room and assigns the server in one transaction, under a lock of the resource group, so that no two
placements share the same room. Locks are taken in one order: accounts, services, instances, then the group; whoever
holds the group waits for no other lock. A pass over all that waits takes the group first, and leaves out the accounts
and instances that others have locked: so it never makes one account wait for another one.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from mlpcore.errors import TooManyChanges
from mlpcore.features.images.hiding import may_learn
from mlpcore.features.instances.limits import InstanceLimits
from mlpcore.features.instances.scheduling.evicting import Crowded, Evictor
from mlpcore.features.instances.scheduling.placing import Candidate, Placed, Placing, Waits
from mlpcore.features.instances.scheduling.waiting_repository import WaitingRepository
from mlpcore.features.instances.tables import Instance
from mlpcore.features.placement.account_room import AccountRoom
from mlpcore.features.placement.allocations import Allocations, Grant
from mlpcore.features.placement.choice import NoPlace, Place, Spread, choose
from mlpcore.features.placement.images import KnownImages
from mlpcore.features.placement.needs import Needs, ServiceNeeds
from mlpcore.features.placement.reasons import ACCOUNT_LIMIT
from mlpcore.features.placement.room import FreeRoom
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.metrics import INSTANCES_PLACED, INSTANCES_REFUSED
from mlplace_kit.clock import Clock

_NO_GROUP: Final = "NoResourceGroup"


class Scheduler:
    def __init__(
        self,
        waiting: WaitingRepository,
        allocations: Allocations,
        limits: InstanceLimits,
        placing: Placing,
        evictor: Evictor,
        clock: Clock,
    ) -> None:
        self._waiting = waiting
        self._allocations = allocations
        self._limits = limits
        self._placing = placing
        self._evictor = evictor
        self._clock = clock

    async def groups_with_waiting(self) -> Mapping[int | None, Sequence[int]]:
        """Returns the waiting instances by resource group; those of services without a usable group under None."""
        found: dict[int | None, list[int]] = {}
        for instance_id, group_id in await self._waiting.by_group():
            found.setdefault(group_id, []).append(instance_id)
        return found

    async def place_waiting(self, group_id: int | None, instance_ids: Sequence[int]) -> None:
        """Places these instances as far as there is room, the longest waiting first.

        Skips instances that another transaction holds, and those of accounts whose limits one holds.
        """
        if group_id is None:
            news = [e.instance_id for e in await self._waiting.read(instance_ids) if e.reason != _NO_GROUP]
            await self._placing.wait([Waits(each, _NO_GROUP, None) for each in await self._waiting.lock(news)])
            return
        group = await self._waiting.group(group_id)
        if group is None:
            return
        accounts = await self._waiting.accounts(instance_ids)
        await self._limits.prepare(accounts)
        if not await self._allocations.hold_soon(group_id):
            return
        held = await self._limits.hold_free(accounts)
        found = [each for each in await self._waiting.read(instance_ids) if each.account_id in held]
        services = await self._waiting.services(found)
        outcome = await self._decide(group, found, services)
        # Most passes change nothing. Rows that stay as they are get no lock, which would be a write, too.
        changed = outcome.changed
        if len(await self._waiting.lock(changed)) < len(changed):
            free = await self._waiting.lock([each.instance_id for each in found])
            outcome = await self._decide(group, free, services)
        await self._write(outcome)
        await self._evict(group, outcome)

    async def place(self, group: ResourceGroup | None, waiting: Sequence[Instance], *, replacing: bool = False) -> None:
        """Places instances of one account that have no server. The caller holds the locks of the account, the service
        and the instances, and has flushed what it changed.

        Leaves them to the next pass if others keep the group for a second. `replacing`: waits for the group, since the
        caller must know whether there is room, and evicts nobody.
        """
        if not waiting:
            return
        found = [Candidate.of(each) for each in waiting]
        if group is None:
            await self._placing.wait([Waits(each, _NO_GROUP, None) for each in found])
            return
        if replacing:
            await self._allocations.hold(group.group_id)
        elif not await self._allocations.hold_soon(group.group_id):
            return
        outcome = await self._decide(group, found, await self._waiting.services(found))
        await self._write(outcome)
        if not replacing:
            await self._evict(group, outcome)

    async def place_beyond_limit(self, group: ResourceGroup, account_id: int, fresh: frozenset[int]) -> bool:
        """Places the `fresh` instances of the account, which exceed one of its limits, behind all that wait already.

        Returns whether each of them gets room, by eviction if needed; if not, the caller takes all of it back. The
        caller holds the locks of the account, the service and the fresh ones. Raises TooManyChanges while others keep
        the group, or an instance that would have to go.
        """
        if not await self._allocations.hold_soon(group.group_id):
            raise TooManyChanges
        found = await self._waiting.lock(await self._waiting.of_account(account_id, group.group_id))
        numbers = [each.instance_id for each in found]
        outcome = await self._decide(group, found, await self._waiting.services(found), beside=numbers)
        await self._write(outcome)
        needed = fresh - {each.instance.instance_id for each in outcome.placed}
        crowded = [each for each in outcome.crowded if each.instance.instance_id in needed]
        if len(crowded) < len(needed):
            return False  # an image is missing
        left = await self._limits.rooms([account_id], group.account_id, beside=numbers, later=True)
        ahead = await self._ahead(group, account_id, needed)
        relief = await self._evictor.make_room(group, outcome.rooms, left, crowded, ahead=ahead, all_or_none=True)
        if relief.contended and len(relief.helped) < len(needed):
            raise TooManyChanges
        return len(relief.helped) == len(needed)

    async def _ahead(self, group: ResourceGroup, account_id: int, fresh: Collection[int]) -> Sequence[Crowded]:
        """Returns all that wait for a server of the group, the longest waiting first.

        Leaves out the fresh ones, and those of other accounts that wait for a limit and not for a server.
        """
        numbers = [number for number in await self._waiting.of_group(group.group_id) if number not in fresh]
        found = await self._waiting.read(numbers)
        services = await self._waiting.services(found)
        waiting = [e for e in found if e.account_id == account_id or e.reason != ACCOUNT_LIMIT]
        crowded = [Crowded(e, services[e.model_id]) for e in waiting]
        return [e for e in crowded if _obstacle(e.service, group) is None]

    async def _decide(
        self,
        group: ResourceGroup,
        waiting: Sequence[Candidate],
        services: Mapping[int, ServiceNeeds],
        *,
        beside: Collection[int] | None = None,
    ) -> "_Pass":
        now = self._clock.now()
        rooms = await self._allocations.rooms(group.group_id, since=now - SILENT_AFTER)
        accounts = await self._limits.rooms({e.account_id for e in waiting}, group.account_id, beside=beside)
        outcome = _Pass(rooms, accounts, services, now)
        for each in waiting:
            outcome.consider(each, _obstacle(services[each.model_id], group))
        return outcome

    async def _write(self, outcome: "_Pass") -> None:
        await self._allocations.add(outcome.grants)
        await self._placing.schedule(outcome.placed)
        await self._placing.wait(outcome.waits)
        INSTANCES_PLACED.inc(len(outcome.placed))
        for each in outcome.waits:
            if each.is_another_cause:
                INSTANCES_REFUSED.labels(reason=each.reason).inc()

    async def _evict(self, group: ResourceGroup, outcome: "_Pass") -> None:
        """Makes room for what found none, in a group that allows it. Call it when the outcome is written."""
        if group.enabled_eviction and outcome.crowded:
            accounts = {each.instance.account_id for each in outcome.crowded}
            left = await self._limits.rooms(accounts, group.account_id, later=True)
            await self._evictor.make_room(group, outcome.rooms, left, outcome.crowded)


class _Pass:
    """Decides for one instance after the other, in memory. Room only shrinks during a pass."""

    def __init__(
        self,
        rooms: Sequence[FreeRoom],
        accounts: Mapping[int, AccountRoom],
        services: Mapping[int, ServiceNeeds],
        now: datetime,
    ) -> None:
        self.rooms = rooms
        self.accounts = accounts
        images = KnownImages(rooms)
        self._services = {n: replace(each, needs=images.told_apart(each.needs)) for n, each in services.items()}
        self._now = now
        self._full: dict[tuple[Needs, int], tuple[NoPlace, dict[str, object] | None]] = {}
        self._spreads: dict[tuple[Needs, int], Spread] = {}
        self.grants: list[Grant] = []
        self.placed: list[Placed] = []
        self.waits: list[Waits] = []
        self.crowded: list[Crowded] = []

    @property
    def changed(self) -> Sequence[int]:
        """The instances that get a server, or another reason."""
        placed = [each.instance.instance_id for each in self.placed]
        return placed + [each.instance.instance_id for each in self.waits if each.is_news]

    def consider(self, each: Candidate, obstacle: str | None) -> None:
        """`obstacle`: the reason why no server of the group may run the instance, whatever room it has."""
        service = self._services[each.model_id]
        if obstacle is not None:
            self.waits.append(Waits(each, obstacle, None))
            return
        account = self.accounts[each.account_id]
        exceeded = account.exceeded(service.needs, derived=each.derived)
        if exceeded is not None:
            self.crowded.append(Crowded(each, service))
            self.waits.append(Waits(each, ACCOUNT_LIMIT, {"limit": dict(exceeded.texts())}))
            return
        place, details = self._choose(service)
        if isinstance(place, NoPlace):
            self.crowded.append(Crowded(each, service))
            self.waits.append(Waits(each, place.reason, details))
            return
        place.room.take(service.needs, place.gpus)
        account.take(service.needs, derived=each.derived)
        self.grants.append(Grant(each.instance_id, each.account_id, place.room.server_id, service.needs, place.gpus))
        self.placed.append(Placed(each, place.room.server_id, place.room.name))

    def _choose(self, service: ServiceNeeds) -> tuple[Place | NoPlace, dict[str, object] | None]:
        """Returns the place; for needs that had none before, what it returned then: they have none now."""
        key = (service.needs, service.start_seconds)
        if (found := self._full.get(key)) is not None:
            return found
        ready_by = self._now + timedelta(seconds=service.start_seconds)
        if not service.needs.gpu_count:
            if key not in self._spreads:
                self._spreads[key] = Spread(self.rooms, service.needs, ready_by)
            if (best := self._spreads[key].best()) is not None:
                return best, None
        place = choose(self.rooms, service.needs, ready_by)
        if not isinstance(place, NoPlace):
            return place, None
        self._full[key] = place, place.details()
        return self._full[key]


def _obstacle(service: ServiceNeeds, group: ResourceGroup) -> str | None:
    if not service.has_image:
        return "NoImage"
    return None if may_learn(group.account_id, service.image_owners) else "RestrictedImage"
