"""Reads instances, and stops single ones."""

from mlpcore.features.instances.desired.scaling import Scaling
from mlpcore.features.instances.errors import RestrictedImage
from mlpcore.features.instances.launching.environment import platform_addresses, storage_user
from mlpcore.features.instances.launching.launch import Environments
from mlpcore.features.instances.lifecycle.history import EventHistory, OutputHistory
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.placements import OnServer
from mlpcore.features.instances.ports import ServersById, StartStorage
from mlpcore.features.instances.presentation import event_data, instance_data, last_state, waiting_for_server
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository, Observed
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.instances.scheduling.convergence import Convergence
from mlpcore.features.instances.schemas import (
    InstanceEnvironmentData,
    InstanceEventData,
    InstanceLastState,
    InstanceLogTailData,
    InstanceMetadata,
    InstancesStatusData,
    InstanceStateWaiting,
    ModelInstanceListData,
    ModelShortStatusData,
    ModelStartTimeData,
)
from mlpcore.features.instances.states import LEAVING, InstanceState
from mlpcore.features.instances.tables import Instance
from mlpcore.features.instances.tasks import InstanceTasks
from mlpcore.features.models.schemas import StartData
from mlpcore.features.models.tables import Model
from mlpcore.features.servers.service import SILENT_AFTER
from mlpcore.features.tasks.reading import TaskReader
from mlpcore.features.tasks.schemas import JobStatusData
from mlpcore.settings import MlpcoreSettings
from mlplace_contracts.enums import HostingType
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound


class InstanceService:
    def __init__(
        self,
        *,
        instances: InstanceRepository,
        requests: RequestRepository,
        connections: ConnectionRepository,
        servers: ServersById,
        events: EventHistory,
        output: OutputHistory,
        lifecycle: Lifecycle,
        environments: Environments,
        storage: StartStorage,
        convergence: Convergence,
        scaling: Scaling,
        tasks: InstanceTasks,
        task_reader: TaskReader,
        settings: MlpcoreSettings,
        clock: Clock,
    ) -> None:
        self._instances = instances
        self._requests = requests
        self._connections = connections
        self._servers = servers
        self._events = events
        self._output = output
        self._lifecycle = lifecycle
        self._environments = environments
        self._storage = storage
        self._convergence = convergence
        self._scaling = scaling
        self._tasks = tasks
        self._task_reader = task_reader
        self._settings = settings
        self._clock = clock

    async def listed(self, model: Model) -> ModelInstanceListData:
        found = await self._instances.of_model(account_id=model.account_id, model_id=model.model_id)
        gates = await self._connections.connected_gates([i.instance_id for i in found])
        on = {i.instance_id: i.placement.server_id for i in found if isinstance(i.placement, OnServer)}
        servers = await self._servers.by_ids(list(on.values()))
        members = await self._connections.members()
        now = self._clock.now()
        seen = await self._observed(model)
        starts = await self._instances.starts(
            account_id=model.account_id, model_id=model.model_id, heard_since=now - SILENT_AFTER
        )
        return ModelInstanceListData(
            instances=[
                instance_data(
                    i,
                    server=servers.get(on[i.instance_id]) if i.instance_id in on else None,
                    gates=gates.get(i.instance_id, frozenset()),
                    members=members,
                    asleep=seen.counts.asleep,
                    start=StartData.of(
                        starts.get(i.instance_id), usual_seconds=_usual(model, seen) if i.is_scaled else None
                    ),
                    now=now,
                )
                for i in found
            ]
        )

    async def numbers(self, model: Model) -> InstancesStatusData:
        found = await self._instances.of_model(account_id=model.account_id, model_id=model.model_id)
        gates = await self._connections.connected_gates([i.instance_id for i in found])
        scaled = [i for i in found if i.is_scaled]
        requested = await self._requests.requested(model.model_id)
        connected = sum(i.instance_id in gates for i in scaled)
        failed = sum(i.state == InstanceState.FAILED for i in scaled)
        own = model.hosting_type == HostingType.HOSTING_SERVER
        return InstancesStatusData(
            internal_requested=0 if own else requested,
            internal_active=0 if own else connected,
            internal_in_error=0 if own else failed,
            hosting_server_requested=requested if own else 0,
            hosting_server_active=connected if own else 0,
            external_requested=sum(not i.is_managed for i in found),
        )

    async def status(self, model: Model, *, own: bool = True) -> ModelShortStatusData:
        """Unless `own`, leaves out what only the owner may know: counts, tasks and reasons."""
        seen = await self._observed(model)
        usual = _usual(model, seen)
        return ModelShortStatusData(
            state=seen.counts.state,
            instances=await self.numbers(model) if own else None,
            last_job=await self._last_task(model) if own else None,
            start_time_seconds=usual,
            waiting=await self._waiting(model) if own else None,
            start=StartData.of(seen.start, usual_seconds=usual),
        )

    async def _observed(self, model: Model) -> Observed:
        heard_since = self._clock.now() - SILENT_AFTER
        return (await self._instances.observed([model.model_id], heard_since=heard_since))[model.model_id]

    async def _last_task(self, model: Model) -> JobStatusData | None:
        return await self._task_reader.last_of_model(account_id=model.account_id, model_id=model.model_id)

    async def _waiting(self, model: Model) -> InstanceStateWaiting | None:
        instance = await self._instances.longest_waiting(account_id=model.account_id, model_id=model.model_id)
        return None if instance is None else waiting_for_server(instance)

    async def timing(self, model: Model, instance_id: int) -> ModelStartTimeData:
        instance = await self._one(model, instance_id)
        average = await self._instances.average_start_seconds(model.model_id)
        return ModelStartTimeData(
            model_id=model.model_id,
            instance_id=instance.instance_id,
            model_average_start_time_sec=average if average is not None else model.start_time_sec,
            instance_start_time=instance.start_requested_at,
            instance_started_time=instance.started_at,
            instance_error_time=instance.error_at,
        )

    async def last_state(self, model: Model, instance_id: int) -> InstanceLastState:
        instance = await self._one(model, instance_id)
        return last_state(instance, connected=bool(await self._connections.connected_gates([instance_id])))

    async def environment(self, model: Model, instance_id: int, *, editable: bool) -> InstanceEnvironmentData:
        instance = await self._one(model, instance_id)
        addresses = platform_addresses(self._settings, await self._connections.members())
        storage = (await self._storage.known([storage_user(instance)])).get(instance_id)
        shown = self._environments.shown(instance, model, addresses, editable=editable, storage=storage)
        return InstanceEnvironmentData(environment=shown.variables)

    async def output(self, model: Model, instance_id: int, *, previous: bool) -> str:
        """Raises RestrictedImage for a model with a restricted image of another account."""
        instance = await self._readable(model, instance_id)
        return await self._output.text(instance.instance_id, previous=previous)

    async def tail(
        self, model: Model, instance_id: int, *, run: str | None, since: int, previous: bool
    ) -> InstanceLogTailData:
        """Raises RestrictedImage for a model with a restricted image of another account."""
        instance = await self._readable(model, instance_id)
        found = await self._output.tail(instance.instance_id, run=run, since=since, previous=previous)
        if found is None:
            return InstanceLogTailData(run=None, start=0, end=0, text="")
        start = max(0, found.end - len(found.text))
        return InstanceLogTailData(run=found.run, start=start, end=found.end, text=found.text)

    async def _readable(self, model: Model, instance_id: int) -> Instance:
        instance = await self._one(model, instance_id)
        image = await self._instances.image_of(model)
        if image is not None and image.access_mode == "restricted" and image.account_id != model.account_id:
            raise RestrictedImage
        return instance

    async def events(self, model: Model, instance_id: int) -> InstanceEventData:
        instance = await self._one(model, instance_id)
        found = await self._events.of_instance(instance.instance_id)
        return InstanceEventData(events=[event_data(instance, event) for event in found])

    async def stop(self, model: Model, instance_id: int, *, force: bool) -> None:
        """Stops the instance, and lowers the request by one if it counts this one. `force` skips the grace period.

        Stopping an instance that is being removed is no error.
        """
        if (await self._one(model, instance_id)).is_managed:
            await self._convergence.lock(model)
        instance = await self._one(model, instance_id, lock=True)
        if instance.is_managed and InstanceState(instance.state) not in LEAVING:
            if instance.is_scaled:
                await self._scaling.forget_one(model)
            await self._tasks.stopped_one(model, instance)
        await self._lifecycle.remove(instance, force=force, reason="The instance was stopped by hand")

    async def set_metadata(self, *, account_id: int, model_id: int, instance_id: int, data: InstanceMetadata) -> None:
        instance = await self._instances.find(
            account_id=account_id, model_id=model_id, instance_id=instance_id, lock=True
        )
        if instance is None:
            raise NotFound(entity="instance")
        if data.version is not None:
            instance.sdk_version = data.version
        instance.hostname = data.hostname or instance.hostname
        instance.built_in_image_name = data.built_in_image_name or instance.built_in_image_name

    async def seen(self, instance_ids: list[int]) -> None:
        await self._instances.touch(instance_ids, self._clock.now())

    async def _one(self, model: Model, instance_id: int, *, lock: bool = False) -> Instance:
        instance = await self._instances.find(
            account_id=model.account_id, model_id=model.model_id, instance_id=instance_id, lock=lock
        )
        if instance is None:
            raise NotFound(entity="instance")
        return instance


def _usual(model: Model, seen: Observed) -> float | None:
    """Returns how long a start takes, in seconds: measured, else as the owner states it."""
    return model.start_time_sec if seen.start_seconds is None else seen.start_seconds
