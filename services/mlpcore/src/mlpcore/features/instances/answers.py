"""Implementations of the ports through which models use instances."""

from collections.abc import Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.instances.dependencies import exchanging_of, instance_tasks_of, lifecycle_of, scaling_of
from mlpcore.features.instances.lifecycle.transitions import changed
from mlpcore.features.instances.repository import InstanceRepository, Observed
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.ports import ModelObserved
from mlpcore.state import CoreState
from mlplace_kit.clock import Clock
from mlplace_kit.errors import ModelNotFound
from mlplace_runtime.db.outbox import Outbox


class StatesOfModels:
    """Implements ModelStates."""

    def __init__(self, session: AsyncSession, clock: Clock) -> None:
        self._instances = InstanceRepository(session)
        self._clock = clock

    async def states_of(self, model_ids: Sequence[int]) -> Mapping[int, ModelObserved]:
        found = await self._instances.observed(model_ids, heard_since=self._clock.now() - SILENT_AFTER)
        return {model_id: _observed(seen) for model_id, seen in found.items()}


def _observed(seen: Observed) -> ModelObserved:
    counts = seen.counts
    return ModelObserved(
        counts.state.value, seen.start_seconds, counts.connected, counts.expected, counts.waits, seen.start
    )


class InstancesOnServers:
    """Implements ServerUsers."""

    def __init__(self, session: AsyncSession) -> None:
        self._instances = InstanceRepository(session)

    async def has_instances(self, server_id: int) -> bool:
        return await self._instances.is_used(server_id)


class StopsInstances:
    """Implements InstanceStopper."""

    def __init__(self, session: AsyncSession, clock: Clock) -> None:
        self._instances = InstanceRepository(session)
        self._requests = RequestRepository(session)
        self._lifecycle = lifecycle_of(session, clock)
        self._clock = clock
        self._tasks = instance_tasks_of(session, clock)
        self._logs = stat_logs_of(session)

    async def stop_all(self, *, account_id: int, model_id: int) -> None:
        await self._tasks.hold(model_id)
        request = await self._requests.lock(account_id=account_id, model_id=model_id)
        request.set_requested(0, self._clock.now())
        request.surge = 0
        active = await self._instances.lock_active(account_id=account_id, model_id=model_id)
        for instance in active:
            await self._lifecycle.remove(instance, force=False, reason="The service is being deleted")
        model = await self._requests.model(model_id)
        if model is not None:
            await self._tasks.stopped(model, [instance.instance_id for instance in active], removed=True)

    async def stop_hosted(self, *, account_id: int, model_id: int, reason: str) -> None:
        await self._tasks.hold(model_id)
        request = await self._requests.lock(account_id=account_id, model_id=model_id)
        active = await self._instances.lock_active(account_id=account_id, model_id=model_id)
        hosted = [instance for instance in active if instance.is_managed]
        if not hosted and not request.requested and not request.surge:
            return
        now = self._clock.now()
        request.set_requested(0, now)
        request.surge = 0
        for instance in hosted:
            await self._lifecycle.remove(instance, force=False, reason=reason)
        self._logs.add(
            LogCode.INSTANCES_REQUESTED,
            account_id=account_id,
            model_id=model_id,
            at=now,
            message=f"0 instances are requested: {reason}",
            args={"requested": 0},
        )
        model = await self._requests.model(model_id)
        if model is not None:
            await self._tasks.stopped(model, [instance.instance_id for instance in hosted])


class StartsInstances:
    """Implements InstanceStarter."""

    def __init__(self, session: AsyncSession, state: CoreState) -> None:
        self._requests = RequestRepository(session)
        self._scaling = scaling_of(session, state)

    async def start_one(self, *, model_id: int) -> None:
        model = await self._requests.model(model_id)
        if model is None:
            raise ModelNotFound
        await self._scaling.request(model, 1)


class RestartsModels:
    """Implements ModelRestarter."""

    def __init__(self, session: AsyncSession, state: CoreState) -> None:
        self._exchanging = exchanging_of(session, state)

    async def restart_of_image(
        self, *, account_id: int, image_id: int, image_name: str, only: frozenset[int] | None
    ) -> int:
        return await self._exchanging.exchange_image(
            account_id=account_id, image_id=image_id, image_name=image_name, only=only
        )


async def republish_instances(session: AsyncSession, clock: Clock) -> int:
    """Writes the state of every instance that accepts connections into the outbox again."""
    active = await InstanceRepository(session).active()
    await Outbox(session, clock).add(*(changed(instance) for instance in active))
    return len(active)
