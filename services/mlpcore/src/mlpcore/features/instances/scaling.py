"""Creates and removes instances on servers to match the requested number.

Level-triggered: `converge` compares states and may run any number of times.
"""

from collections.abc import Callable, Sequence
from datetime import timedelta

from mlpcore.features.instances.errors import HostingTypeUnavailable, PrototypeNotStarted
from mlpcore.features.instances.launching.creation import InstanceFactory
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.limits import InstanceLimits
from mlpcore.features.instances.ports import FreshServers, ReachableGroups
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository, RequestRepository
from mlpcore.features.instances.states import Hosting, InstanceState
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.instances.tasks import InstanceTasks
from mlpcore.features.models.tables import Model
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.licensing.policy import LicensePolicy
from mlplace_contracts.enums import HostingType
from mlplace_kit.clock import Clock

_FRESH = timedelta(seconds=30)


class Scaling:
    def __init__(
        self,
        instances: InstanceRepository,
        requests: RequestRepository,
        connections: ConnectionRepository,
        servers: FreshServers,
        groups: ReachableGroups,
        limits: InstanceLimits,
        lifecycle: Lifecycle,
        factory: InstanceFactory,
        logs: StatLogs,
        tasks: InstanceTasks,
        license_policy: LicensePolicy,
        clock: Clock,
    ) -> None:
        self._instances = instances
        self._requests = requests
        self._connections = connections
        self._servers = servers
        self._groups = groups
        self._limits = limits
        self._lifecycle = lifecycle
        self._factory = factory
        self._logs = logs
        self._tasks = tasks
        self._license = license_policy
        self._clock = clock

    async def request(self, model: Model, count: int) -> None:
        """Sets the number of instances.

        Raises HostingTypeUnavailable, PrototypeNotStarted, InstanceLimitExceeded, LicenseLimitExceeded.
        """
        await self._change(model, lambda _: count)

    async def request_one_more(self, model: Model) -> None:
        await self._change(model, lambda now: now + 1)

    async def wake_up(self, model: Model) -> None:
        """Requests one instance if none is requested. Raises the same errors as `request`."""
        await self._change(model, lambda now: max(now, 1), woken=True)

    async def _change(self, model: Model, wanted: Callable[[int], int], *, woken: bool = False) -> None:
        if model.hosting_type == HostingType.EXTERNAL:
            raise HostingTypeUnavailable(hostingType=model.hosting_type)
        await self._tasks.hold(model.model_id)
        await self._limits.reserve(model, 0)
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        before = request.requested
        request.requested = _allowed(model, wanted(before))
        request.surge = 0
        if model.prototype and request.requested:
            raise PrototypeNotStarted
        if request.requested > before:
            await self._license.demand_start()
        ended = await self._converge(model, request)
        if request.requested > before:
            await self._tasks.started(model, before=before, requested=request.requested, woken=woken)
        elif request.requested < before:
            await self._tasks.stopped(model, [instance.instance_id for instance in ended])
        self._logs.add(
            LogCode.INSTANCES_REQUESTED,
            account_id=model.account_id,
            model_id=model.model_id,
            at=self._clock.now(),
            message=f"{request.requested} instances are requested",
            args={"requested": request.requested},
        )

    async def converge(self, model: Model) -> None:
        """Creates, removes and places instances to match the request. Raises InstanceLimitExceeded."""
        await self._limits.reserve(model, 0)
        await self._converge(model, await self._requests.lock(account_id=model.account_id, model_id=model.model_id))

    async def restore(self, model: Model, *, added: int) -> None:
        """Takes back a request for `added` instances more."""
        await self._limits.reserve(model, 0)
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        request.requested = max(0, request.requested - added)
        await self._converge(model, request)

    async def exchange_all(self, model: Model) -> None:
        """Begins to replace every instance on servers with one that has the current configuration."""
        await self._tasks.hold(model.model_id)
        await self._limits.reserve(model, 0)
        await self.lock(model)
        await self._tasks.exchange(model, await self._active(model))

    async def exchange_everywhere(self, *, account_id: int, account_name: str, only_kubernetes: bool) -> int:
        """Begins to replace the instances of all accounts, as a task of this account. Returns the number of models."""
        models = () if only_kubernetes else await self._requests.models_with_instances()
        await self._tasks.exchange_everywhere(account_id=account_id, account_name=account_name, models=models)
        return len(models)

    async def surge(self, model: Model, count: int) -> Sequence[Instance]:
        """Sets how many instances the model gets temporarily above the request.

        Returns the active instances. Raises InstanceLimitExceeded.
        """
        await self._limits.reserve(model, 0)
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        request.surge = count
        await self._converge(model, request)
        return await self._active(model)

    async def lock(self, model: Model) -> None:
        """Locks the model's request. Must be called before any instance is locked."""
        await self._requests.lock(account_id=model.account_id, model_id=model.model_id)

    async def forget_one(self, model: Model) -> None:
        """Lowers the request by one because somebody stopped an instance."""
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        request.requested = _allowed(model, max(0, request.requested - 1))

    async def _converge(self, model: Model, request: HostingRequest) -> Sequence[Instance]:
        """Returns the surplus instances that it removes."""
        active = await self._active(model)
        missing = request.requested + request.surge - len(active)
        if missing > 0:
            await self._limits.reserve(model, missing)
            active += [await self._factory.create(model, Hosting.HOSTING_SERVER) for _ in range(missing)]
        surplus = await self._surplus(active, -missing)
        for instance in surplus:
            await self._lifecycle.remove(instance, force=False, reason="Fewer instances are requested")
        await self._place(model, [instance for instance in active if instance.state == InstanceState.IDLE])
        return surplus

    async def _active(self, model: Model) -> list[Instance]:
        found = await self._instances.lock_active(account_id=model.account_id, model_id=model.model_id)
        return [instance for instance in found if instance.hosting == Hosting.HOSTING_SERVER]

    async def _surplus(self, active: Sequence[Instance], count: int) -> Sequence[Instance]:
        """Returns `count` instances to remove: those without a connection first, then the newest."""
        if count <= 0:
            return ()
        connected = await self._connections.connected_gates([instance.instance_id for instance in active])
        order = sorted(active, key=lambda i: (i.instance_id in connected, -i.instance_id))
        return order[:count]

    async def _place(self, model: Model, idle: Sequence[Instance]) -> None:
        """Assigns the least loaded server of the model's group to each instance, or stores why it waits."""
        if not idle:
            return
        servers, reason = await self._servers_for(model)
        load = dict(await self._requests.load_of_servers([server.server_id for server in servers]))
        for instance in idle:
            free = [s for s in servers if s.max_instances is None or load.get(s.server_id, 0) < s.max_instances]
            if not free:
                instance.waiting_reason = reason or "NoServerAvailable"
                continue
            chosen = min(free, key=lambda s: (load.get(s.server_id, 0), s.server_id))
            load[chosen.server_id] = load.get(chosen.server_id, 0) + 1
            await self._assign(instance, chosen)

    async def _servers_for(self, model: Model) -> tuple[Sequence[Server], str | None]:
        if await self._instances.image_of(model) is None:
            return (), "NoImage"
        group = await self._group_of(model)
        if group is None:
            return (), "NoResourceGroup"
        since = self._clock.now() - _FRESH
        return await self._servers.fresh_in_group(group_id=group.group_id, since=since), None

    async def _group_of(self, model: Model) -> ResourceGroup | None:
        if model.resource_group_id is not None:
            return await self._groups.usable(account_id=model.account_id, group_id=model.resource_group_id)
        if model.resource_group is not None:
            return None  # migration 0012 found no group of this name
        return await self._groups.default_of(account_id=model.account_id)

    async def _assign(self, instance: Instance, server: Server) -> None:
        instance.server_id = server.server_id
        instance.generation += 1
        instance.start_requested_at = self._clock.now()
        instance.restart_count = 0
        instance.waiting_reason = None
        instance.phase = None
        message = f"The instance was assigned to the server {server.name}"
        await self._lifecycle.move(instance, InstanceState.SCHEDULED, reason="Scheduled", message=message)

    async def settle_stranded(self) -> None:
        """Handles instances of deleted servers: marks them IDLE for another server, or DELETED if being removed."""
        for instance in await self._requests.lock_stranded():
            instance.server_id = None
            instance.phase = None
            if instance.state == InstanceState.REMOVING:
                await self._lifecycle.move(
                    instance, InstanceState.DELETED, reason="Deleted", message="The instance was deleted"
                )
            else:
                await self._lifecycle.move(
                    instance, InstanceState.IDLE, reason="ServerGone", message="The instance's server was deleted"
                )


def _allowed(model: Model, count: int) -> int:
    """Returns the allowed number. A running AUTOMATIC model has exactly `minInstanceCount` instances, at least one."""
    if model.hosting_type != HostingType.AUTOMATIC or count == 0:
        return count
    least = model.auto_scaling_configuration.get("minInstanceCount")
    return max(1, least if isinstance(least, int) else 0)
