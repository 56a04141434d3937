"""Makes the instances on servers as many as are requested.

Level-triggered: it compares what is with what is wanted, and may run any number of times.
"""

from collections.abc import Sequence
from typing import Final, Literal

from mlpcore.features.instances.launching.creation import InstanceFactory
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.limits import InstanceLimits
from mlpcore.features.instances.ports import ReachableGroups
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.instances.scheduling.evicting import SEARCHES
from mlpcore.features.instances.scheduling.scheduler import Scheduler
from mlpcore.features.instances.states import Hosting, InstanceState
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.resource_groups.tables import ResourceGroup

_AT_ONCE: Final = 50
"""So many instances are created in one transaction of a loop."""
Create = Literal["within limits", "by eviction", "in any case"]
"""Which missing instances are created. "by eviction": also those for which other services of the account can go.
"in any case": those beyond a limit wait."""


class Convergence:
    def __init__(
        self,
        instances: InstanceRepository,
        requests: RequestRepository,
        connections: ConnectionRepository,
        scheduler: Scheduler,
        groups: ReachableGroups,
        limits: InstanceLimits,
        lifecycle: Lifecycle,
        factory: InstanceFactory,
    ) -> None:
        self._instances = instances
        self._requests = requests
        self._connections = connections
        self._scheduler = scheduler
        self._groups = groups
        self._limits = limits
        self._lifecycle = lifecycle
        self._factory = factory

    async def lock(self, model: Model) -> HostingRequest:
        """Locks the account's limits and the model's request. Must be called before any instance is locked."""
        await self._limits.lock(model.account_id)
        return await self._requests.lock(account_id=model.account_id, model_id=model.model_id)

    async def settle(self, model: Model) -> None:
        """Makes what is missing and removes what is too much, unless others hold the account's limits now.

        An instance that exceeds a limit waits like one that finds no room on a server, and says so.
        """
        await self._limits.prepare([model.account_id])
        if not await self._limits.hold_free([model.account_id]):
            return  # a loop calls this for one account after the other
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        await self.converge(model, request, create="in any case")

    async def converge(
        self,
        model: Model,
        request: HostingRequest,
        *,
        create: Create = "within limits",
        replacing: bool = False,
    ) -> Sequence[Instance]:
        """Returns the surplus instances that it removes. The caller holds the lock of `lock`.

        Raises InstanceLimitExceeded and ResourceLimitExceeded, except "in any case". `replacing`: afterwards an
        instance without a server has found no room, and nobody was evicted.
        """
        active = await self.active(model)
        missing = request.requested + request.surge - len(active)
        if missing > 0:
            if create != "in any case":
                group = await self.group_of(model)
                exceeded = await self._limits.exceeded(model, group, missing)
                if exceeded is not None:
                    if create == "within limits" or not await self._create_by_eviction(model, group, missing):
                        raise exceeded
                    return ()
            active += await self._create(model, missing if create != "in any case" else min(missing, _AT_ONCE))
        surplus = await self._surplus(active, -missing)
        for instance in surplus:
            await self._lifecycle.remove(instance, force=False, reason="Fewer instances are requested")
        idle = [instance for instance in active if instance.state == InstanceState.IDLE]
        await self._place(model, idle, replacing=replacing)
        return surplus

    async def _create(self, model: Model, count: int) -> list[Instance]:
        return [await self._factory.create(model, Hosting.HOSTING_SERVER) for _ in range(count)]

    async def _create_by_eviction(self, model: Model, group: ResourceGroup | None, count: int) -> bool:
        """Creates instances that exceed a limit. Returns whether eviction makes room for them."""
        if group is None or not group.enabled_eviction or count > SEARCHES:
            return False
        if await self._limits.exceed_alone(model, group, count):
            return False
        fresh = frozenset([instance.instance_id for instance in await self._create(model, count)])
        return await self._scheduler.place_beyond_limit(group, model.account_id, fresh)

    async def active(self, model: Model) -> list[Instance]:
        """Returns the locked instances that the request counts: none that move from servers that are being drained."""
        found = await self._instances.lock_active(account_id=model.account_id, model_id=model.model_id, staying=True)
        return [instance for instance in found if instance.is_scaled]

    async def _surplus(self, active: Sequence[Instance], count: int) -> Sequence[Instance]:
        """Returns `count` instances to remove: those without a connection first, then the newest."""
        if count <= 0:
            return ()
        connected = await self._connections.connected_gates([instance.instance_id for instance in active])
        order = sorted(active, key=lambda i: (i.instance_id in connected, -i.instance_id))
        return order[:count]

    async def _place(self, model: Model, idle: Sequence[Instance], *, replacing: bool) -> None:
        """Gives the instances servers as far as there is room, or stores why they wait."""
        if idle:
            await self._scheduler.place(await self.group_of(model), idle, replacing=replacing)

    async def group_of(self, model: Model) -> ResourceGroup | None:
        """Returns the group in which the model's instances run; None without a usable one."""
        if model.resource_group_id is not None:
            return await self._groups.usable(account_id=model.account_id, group_id=model.resource_group_id)
        if model.resource_group is not None:
            return None  # migration 0012 found no group of this name
        return await self._groups.default_of(account_id=model.account_id)

    async def settle_stranded(self) -> None:
        """Handles instances of deleted servers: marks them IDLE for another server, or DELETED if being removed.

        What answers no calls is deleted, too: see `Lifecycle.leave_server`.
        """
        for instance in await self._requests.lock_stranded():
            if instance.state == InstanceState.REMOVING:
                await self._lifecycle.move(
                    instance, InstanceState.DELETED, reason="Deleted", message="The instance was deleted"
                )
            else:
                await self._lifecycle.leave_server(
                    instance, reason="ServerGone", message="The instance's server was deleted"
                )
