"""Instances that answer no calls: each is started for one task, which ends it."""

from mlpcore.features.instances.launching.creation import InstanceFactory
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.limits import InstanceLimits
from mlpcore.features.instances.platform import demand_platform
from mlpcore.features.instances.repository import InstanceRepository
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.instances.scheduling.convergence import Convergence
from mlpcore.features.instances.scheduling.scheduler import Scheduler
from mlpcore.features.instances.states import Hosting
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.licensing.policy import LicensePolicy
from mlplace_contracts.enums import InstancePurpose
from mlplace_kit.errors import ModelNotFound, NotFound


class SingleInstances:
    """The only way in which an instance begins that does not serve. No number is requested of such instances."""

    def __init__(
        self,
        *,
        instances: InstanceRepository,
        requests: RequestRepository,
        limits: InstanceLimits,
        convergence: Convergence,
        scheduler: Scheduler,
        factory: InstanceFactory,
        lifecycle: Lifecycle,
        license_policy: LicensePolicy,
    ) -> None:
        self._instances = instances
        self._requests = requests
        self._limits = limits
        self._convergence = convergence
        self._scheduler = scheduler
        self._factory = factory
        self._lifecycle = lifecycle
        self._license = license_policy

    async def start(self, model: Model, purpose: InstancePurpose) -> Instance:
        """Creates an instance, and gives it a server if one has room; until then it waits like any other.

        It counts for all limits. If it loses its server, it ends. Must be called before any instance is locked.

        Raises ValueError for SERVE, and ModelNotFound, HostingTypeUnavailable, PrototypeNotStarted,
        InstanceLimitExceeded, ResourceLimitExceeded, LicenseLimitExceeded.
        """
        if purpose is InstancePurpose.SERVE:
            raise ValueError("the number of instances that serve is requested")
        await self._convergence.lock(model)
        hosting = await self._requests.hosting(model.model_id)
        if hosting is None:
            raise ModelNotFound
        demand_platform(hosting, 1)
        await self._license.demand_start()
        group = await self._convergence.group_of(model)
        await self._limits.demand(model, group, 1)
        instance = await self._factory.create(model, Hosting.HOSTING_SERVER, purpose=purpose)
        await self._scheduler.place(group, [instance])
        return instance

    async def end(self, model: Model, instance_id: int, *, reason: str, force: bool = False) -> None:
        """Ends the instance. `reason`: what its history says. `force` skips the grace period.

        Ending one that has ended is no error. Raises NotFound for an instance that serves, like for a missing one.
        """
        instance = await self._instances.find(
            account_id=model.account_id, model_id=model.model_id, instance_id=instance_id, lock=True
        )
        if instance is None or instance.purpose == InstancePurpose.SERVE:
            raise NotFound(entity="instance")
        await self._lifecycle.remove(instance, force=force, reason=reason)
