"""Creates and removes instances on servers to match the requested number.

Level-triggered: `converge` compares states and may run any number of times.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from mlpcore.errors import LicenseLimitExceeded
from mlpcore.features.instances.errors import (
    HostingTypeUnavailable,
    InstanceLimitExceeded,
    PrototypeNotStarted,
    ResourceLimitExceeded,
    StoppedBySchedule,
)
from mlpcore.features.instances.exchange_repository import ExchangeRepository
from mlpcore.features.instances.launching.creation import InstanceFactory
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.limits import InstanceLimits
from mlpcore.features.instances.ports import ReachableGroups
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.instances.scheduling import Scheduler, Waiting
from mlpcore.features.instances.states import Hosting, InstanceState
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.instances.tasks import InstanceTasks
from mlpcore.features.models.tables import Model
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.scaling_rules.history import Scaled, ScalingHistory, ScalingKind, ScalingNumbers
from mlpcore.features.scaling_rules.service import ScalingRules
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.service import StatLogs
from mlpcore.licensing.policy import LicensePolicy
from mlplace_contracts.enums import HostingType
from mlplace_kit.clock import Clock
from mlplace_kit.errors import AccessDenied, ModelNotFound

Waker = Literal["call", "tester", "owner"]


@dataclass(frozen=True, slots=True)
class Waking:
    """Who wakes a model up. `cause`: the account of a caller or tester."""

    by: Waker
    cause: int | None


def _digest(models: Sequence[int]) -> str:
    """A name of limited length for these models: a key may be limited to hundreds."""
    return sha256(",".join(map(str, models)).encode()).hexdigest()[:32]


class RequestMoved(Exception):
    """Something else has changed the model, or the number of its instances, since autoscaling decided."""


class Scaling:
    def __init__(
        self,
        instances: InstanceRepository,
        requests: RequestRepository,
        connections: ConnectionRepository,
        exchanges: ExchangeRepository,
        scheduler: Scheduler,
        groups: ReachableGroups,
        limits: InstanceLimits,
        lifecycle: Lifecycle,
        factory: InstanceFactory,
        logs: StatLogs,
        tasks: InstanceTasks,
        license_policy: LicensePolicy,
        history: ScalingHistory,
        rules: ScalingRules,
        clock: Clock,
    ) -> None:
        self._instances = instances
        self._requests = requests
        self._connections = connections
        self._exchanges = exchanges
        self._scheduler = scheduler
        self._groups = groups
        self._limits = limits
        self._lifecycle = lifecycle
        self._factory = factory
        self._logs = logs
        self._tasks = tasks
        self._license = license_policy
        self._history = history
        self._rules = rules
        self._clock = clock

    async def request(self, model: Model, count: int) -> None:
        """Sets the number of instances.

        Raises HostingTypeUnavailable, PrototypeNotStarted, InstanceLimitExceeded, ResourceLimitExceeded,
        LicenseLimitExceeded.
        """
        await self._change(model, lambda _: count)

    async def request_one_more(self, model: Model) -> int:
        """Returns how many instances are requested now."""
        return await self._change(model, lambda now: now + 1)

    async def wake_up(self, model: Model, *, by: Waker, cause: int | None = None) -> bool:
        """Requests instances if none is requested: one, or `minInstancesCount`. `cause`: the account that called.

        Returns False if the schedule leaves the model without instances now. Raises the same errors as `request`.
        """
        waking = Waking(by, cause)
        return await self._change(model, lambda now: now or max(1, model.min_instances_count), waking=waking) > 0

    async def wake_up_for(self, model: Model, *, cause: int | None) -> None:
        """Wakes a model up for another account, `cause`, which does not learn the owner's limits.

        Raises HostingTypeUnavailable, PrototypeNotStarted, StoppedBySchedule, AccessDenied.
        """
        if await self._requests.requested(model.model_id):
            return
        try:
            if not await self.wake_up(model, by="tester", cause=cause):
                raise StoppedBySchedule
        except (InstanceLimitExceeded, ResourceLimitExceeded, LicenseLimitExceeded) as refusal:
            raise AccessDenied from refusal
        self._logs.add(
            LogCode.WAKE_UP,
            account_id=model.account_id,
            model_id=model.model_id,
            at=self._clock.now(),
            message="A caller asked for a start of the service",
            args={"causeAccountId": cause},
        )

    async def adjust(self, model: Model, *, before: int, wanted: int) -> int:
        """Changes the number from `before` as autoscaling decided. Returns the new number, within the present bounds.

        Raises RequestMoved if somebody else has changed it, replaces the instances, has deleted the model or sets its
        number now, and the same errors as `request`.
        """

        def decided(now: int) -> int:
            if now != before:
                raise RequestMoved
            return wanted

        return await self._change(model, decided, by_loop=True)

    async def _change(
        self, model: Model, wanted: Callable[[int], int], *, waking: Waking | None = None, by_loop: bool = False
    ) -> int:
        if model.hosting_type == HostingType.EXTERNAL:
            raise HostingTypeUnavailable(hostingType=model.hosting_type)
        exchanging = await self._tasks.hold(model.model_id)
        await self._limits.reserve(model, 0)
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        if not await self._requests.is_alive(model.model_id):
            raise RequestMoved if by_loop else ModelNotFound
        if by_loop and (exchanging or request.surge or not await self._requests.is_automatic(model.model_id)):
            raise RequestMoved
        before = request.requested
        now = self._clock.now()
        request.set_requested(await self._allowed(model, wanted(before)), now)
        request.surge = 0
        if model.prototype and request.requested:
            raise PrototypeNotStarted
        if request.requested > before:
            await self._license.demand_start()
        # A lower number must not fail for instances that the model lacks. The reconciler creates these.
        ended = await self._converge(model, request, create=request.requested >= before)
        if request.requested > before:
            woken = waking is not None
            await self._tasks.started(model, before=before, requested=request.requested, woken=woken)
            if waking is not None:
                await self._note_wake_up(model, request.requested, waking)
        elif request.requested < before:
            await self._tasks.stopped(model, [instance.instance_id for instance in ended])
        if waking is not None and request.requested == before:
            return before  # callers may repeat this as often as they like
        self._logs.add(
            LogCode.INSTANCES_REQUESTED,
            account_id=model.account_id,
            model_id=model.model_id,
            at=now,
            message=f"{request.requested} instances are requested",
            args={"requested": request.requested},
        )
        return request.requested

    async def _note_wake_up(self, model: Model, count: int, waking: Waking) -> None:
        if model.hosting_type != HostingType.AUTOMATIC:
            return
        bounds = (await self._rules.of_model(model)).bounds(self._clock.now())
        numbers = ScalingNumbers() if waking.cause is None else ScalingNumbers(causeAccountId=waking.cause)
        await self._history.add(
            Scaled(
                model.account_id,
                model.model_id,
                ScalingKind.WAKE_UP,
                waking.by,
                before=0,
                after=count,
                connected=0,
                bounds=bounds,
                numbers=numbers,
            )
        )

    async def converge(self, model: Model) -> None:
        """Creates, removes and places instances to match the request, unless others hold the account's limits now.

        Raises InstanceLimitExceeded, ResourceLimitExceeded.
        """
        await self._limits.prepare([model.account_id])
        if not await self._limits.hold_free([model.account_id]):
            return  # a loop calls this for one account after the other
        await self._converge(model, await self._requests.lock(account_id=model.account_id, model_id=model.model_id))

    async def restore(self, model: Model, *, added: int) -> None:
        """Takes back a request for `added` instances more."""
        await self._limits.reserve(model, 0)
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        request.set_requested(max(0, request.requested - added), self._clock.now())
        await self._converge(model, request)

    async def exchange_all(self, model: Model) -> int:
        """Begins to replace every instance on servers with one that has the current configuration.

        Returns the id of the task that does it.
        """
        await self._tasks.hold(model.model_id)
        await self.lock(model)
        return await self._tasks.exchange(model, await self._active(model))

    async def exchange_everywhere(self, *, account_id: int, account_name: str, only_kubernetes: bool) -> int:
        """Begins to replace the instances of all accounts, as a task of this account. Returns the number of models."""
        models = () if only_kubernetes else await self._exchanges.models_with_instances()
        await self._tasks.exchange_many(
            account_id=account_id, name=account_name, models=models, slot="exchange-everywhere"
        )
        return len(models)

    async def exchange_image(
        self, *, account_id: int, image_id: int, image_name: str, only: frozenset[int] | None
    ) -> int:
        """Begins to replace the instances of the account's models with this image. Returns the number of models.

        `only`: of these models; None: of all.
        """
        found = await self._exchanges.models_with_image(account_id=account_id, image_id=image_id)
        models = [number for number in found if only is None or number in only]
        # A restart of some models must not replace the task that restarts others.
        slot = f"image:{image_id}" if only is None else f"image:{image_id}:{_digest(models)}"
        await self._tasks.exchange_many(account_id=account_id, name=image_name, models=models, slot=slot)
        return len(models)

    async def surge(self, model: Model, count: int) -> Sequence[Instance]:
        """Sets how many instances the model gets temporarily above the request.

        Returns the active instances. Raises InstanceLimitExceeded, ResourceLimitExceeded.
        """
        await self._limits.reserve(model, 0)
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        request.surge = count
        await self._converge(model, request, must_place=True)
        return await self._active(model)

    async def end_surge(self, model: Model) -> None:
        """Like `surge` with 0, but leaves it to the reconciler to create what is missing."""
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        request.surge = 0

    async def lock(self, model: Model) -> None:
        """Locks the account's limits and the model's request. Must be called before any instance is locked."""
        await self._limits.reserve(model, 0)
        await self._requests.lock(account_id=model.account_id, model_id=model.model_id)

    async def forget_one(self, model: Model) -> None:
        """Lowers the request by one because somebody stopped an instance."""
        request = await self._requests.lock(account_id=model.account_id, model_id=model.model_id)
        request.set_requested(await self._allowed(model, max(0, request.requested - 1)), self._clock.now())

    async def _converge(
        self, model: Model, request: HostingRequest, *, create: bool = True, must_place: bool = False
    ) -> Sequence[Instance]:
        """Returns the surplus instances that it removes. Raises InstanceLimitExceeded, ResourceLimitExceeded.

        `must_place`: afterwards an instance without a server has found no room.
        """
        active = await self._active(model)
        missing = request.requested + request.surge - len(active)
        if missing > 0 and create:
            await self._limits.reserve(model, missing)
            if (group := await self._group_of(model)) is not None:
                await self._limits.demand_resources(model, group, missing)
            active += [await self._factory.create(model, Hosting.HOSTING_SERVER) for _ in range(missing)]
        surplus = await self._surplus(active, -missing)
        for instance in surplus:
            await self._lifecycle.remove(instance, force=False, reason="Fewer instances are requested")
        idle = [instance for instance in active if instance.state == InstanceState.IDLE]
        await self._place(model, idle, must_place=must_place)
        return surplus

    async def _active(self, model: Model) -> list[Instance]:
        """Returns the locked instances, without those that move from servers that are being drained."""
        found = await self._instances.lock_active(account_id=model.account_id, model_id=model.model_id, staying=True)
        return [instance for instance in found if instance.hosting == Hosting.HOSTING_SERVER]

    async def _surplus(self, active: Sequence[Instance], count: int) -> Sequence[Instance]:
        """Returns `count` instances to remove: those without a connection first, then the newest."""
        if count <= 0:
            return ()
        connected = await self._connections.connected_gates([instance.instance_id for instance in active])
        order = sorted(active, key=lambda i: (i.instance_id in connected, -i.instance_id))
        return order[:count]

    async def _place(self, model: Model, idle: Sequence[Instance], *, must_place: bool) -> None:
        """Gives the instances servers as far as there is room, or stores why they wait."""
        if idle:
            waiting = [Waiting(instance, model) for instance in idle]
            await self._scheduler.place(await self._group_of(model), waiting, in_any_case=must_place)

    async def _group_of(self, model: Model) -> ResourceGroup | None:
        if model.resource_group_id is not None:
            return await self._groups.usable(account_id=model.account_id, group_id=model.resource_group_id)
        if model.resource_group is not None:
            return None  # migration 0012 found no group of this name
        return await self._groups.default_of(account_id=model.account_id)

    async def _allowed(self, model: Model, count: int) -> int:
        """Returns the nearest number that an AUTOMATIC model may have now."""
        if model.hosting_type != HostingType.AUTOMATIC:
            return count
        return (await self._rules.of_model(model)).allowed(count, self._clock.now())

    async def settle_stranded(self) -> None:
        """Handles instances of deleted servers: marks them IDLE for another server, or DELETED if being removed."""
        for instance in await self._requests.lock_stranded():
            if instance.state == InstanceState.REMOVING:
                await self._lifecycle.move(
                    instance, InstanceState.DELETED, reason="Deleted", message="The instance was deleted"
                )
            else:
                await self._lifecycle.leave_server(
                    instance, reason="ServerGone", message="The instance's server was deleted"
                )
