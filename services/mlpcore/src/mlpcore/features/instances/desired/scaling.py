"""Sets how many instances of a model run on servers, on behalf of owners, callers, schedules and load."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mlpcore.errors import LicenseLimitExceeded
from mlpcore.features.instances.errors import InstanceLimitExceeded, ResourceLimitExceeded, StoppedBySchedule
from mlpcore.features.instances.platform import HostingNow, demand_platform
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.instances.scheduling.convergence import Convergence, Create
from mlpcore.features.instances.tasks import InstanceTasks
from mlpcore.features.models.tables import Model
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


class RequestMoved(Exception):
    """Something else has changed the model, or the number of its instances, since autoscaling decided."""


class Scaling:
    def __init__(
        self,
        requests: RequestRepository,
        convergence: Convergence,
        logs: StatLogs,
        tasks: InstanceTasks,
        license_policy: LicensePolicy,
        history: ScalingHistory,
        rules: ScalingRules,
        clock: Clock,
    ) -> None:
        self._requests = requests
        self._convergence = convergence
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
        await self._change(model, lambda _: count, create="by eviction")

    async def request_one_more(self, model: Model) -> int:
        """Returns how many instances are requested now."""
        return await self._change(model, lambda now: now + 1, create="by eviction")

    async def wake_up(self, model: Model, *, by: Waker, cause: int | None = None) -> bool:
        """Requests instances if none is requested: one, or `minInstancesCount`. `cause`: the account that called.

        Returns False if the schedule leaves the model without instances now. Raises the same errors as `request`.
        """
        create: Create = "by eviction" if by == "owner" else "within limits"  # a stranger's call ends no other service
        least = max(1, model.min_instances_count)
        return await self._change(model, lambda now: now or least, waking=Waking(by, cause), create=create) > 0

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
        self,
        model: Model,
        wanted: Callable[[int], int],
        *,
        waking: Waking | None = None,
        by_loop: bool = False,
        create: Create = "within limits",
    ) -> int:
        exchanging = await self._tasks.hold(model.model_id)
        request = await self._convergence.lock(model)
        hosting = await self._requests.hosting(model.model_id)
        if hosting is None:
            raise RequestMoved if by_loop else ModelNotFound
        if by_loop and (exchanging or request.surge or not hosting.is_automatic):
            raise RequestMoved
        before = request.requested
        now = self._clock.now()
        count = wanted(before)
        demand_platform(hosting, count)
        request.set_requested(await self._allowed(model, hosting, count), now)
        request.surge = 0
        if request.requested > before:
            await self._license.demand_start()
        # A lower number must not fail for instances that the model lacks.
        create = create if request.requested >= before else "in any case"
        ended = await self._convergence.converge(model, request, create=create)
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

    async def restore(self, model: Model, *, added: int) -> None:
        """Takes back a request for `added` instances more."""
        request = await self._convergence.lock(model)
        request.set_requested(max(0, request.requested - added), self._clock.now())
        await self._convergence.converge(model, request, create="in any case")

    async def forget_one(self, model: Model) -> None:
        """Lowers the request by one because somebody stopped an instance."""
        request = await self._convergence.lock(model)
        hosting = await self._requests.hosting(model.model_id)
        allowed = await self._allowed(model, hosting, max(0, request.requested - 1))
        request.set_requested(min(request.requested, allowed), self._clock.now())

    async def _allowed(self, model: Model, hosting: HostingNow | None, count: int) -> int:
        """Returns the nearest number that an AUTOMATIC model may have now."""
        if hosting is None or not hosting.is_automatic:
            return count
        return (await self._rules.of_model(model)).allowed(count, self._clock.now())
