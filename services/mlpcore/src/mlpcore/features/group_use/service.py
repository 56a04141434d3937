"""What owners of resource groups see of their use."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from mlpcore.features.group_administration.schemas import ResourceGroupData
from mlpcore.features.group_administration.service import group_data
from mlpcore.features.group_use.amounts import (
    added,
    added_measures,
    allocated_of,
    capacity_of,
    free_of,
    gpus_of,
    measured_of,
)
from mlpcore.features.group_use.repository import GroupUseRepository
from mlpcore.features.group_use.schemas import (
    ResourceGroupCapacity,
    ResourceGroupServicesData,
    ResourceGroupServicesShortData,
    ResourceGroupShortStatusData,
    ServerUseData,
    ServiceData,
    ServiceInfoAtTime,
    ServiceShortData,
)
from mlpcore.features.instances.states import ModelState
from mlpcore.features.models.reading.presentation import start_of
from mlpcore.features.models.schemas import ModelInfoPK
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.room import FreeRoom
from mlpcore.features.resource_groups.schemas import GroupType
from mlpcore.features.resource_groups.service import essential
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.schemas import ServerStatus
from mlpcore.features.servers.service import SILENT_AFTER, status_of
from mlpcore.features.servers.tables import Server
from mlpcore.ports import ModelStates
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound


class Groups(Protocol):
    async def owned(self, *, account_id: int, name: str) -> ResourceGroup | None: ...

    async def deployable(self, *, account_id: int) -> Sequence[ResourceGroup]: ...

    async def all_owned(self, *, account_id: int) -> Sequence[ResourceGroup]: ...


class GroupUseService:
    def __init__(
        self,
        repository: GroupUseRepository,
        groups: Groups,
        states: ModelStates,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._groups = groups
        self._states = states
        self._clock = clock

    async def statuses(self, account_id: int) -> list[ResourceGroupShortStatusData]:
        counts = await self._repository.counts(account_id)
        shown: list[ResourceGroupShortStatusData] = []
        for group in await self._groups.all_owned(account_id=account_id):
            servers, services = counts.get(group.group_id, (0, 0))
            data = essential(group).model_dump() | {"servers_count": servers, "services_count": services}
            shown.append(ResourceGroupShortStatusData.model_validate(data))
        return shown

    async def type_of(self, model: Model) -> GroupType:
        """Returns the type of the group in which the model runs. Raises NotFound if there is none."""
        found = await self._repository.group_of(model.model_id)
        if found is None:
            raise NotFound(entity="resource group")
        return GroupType(found.resource_group_type)

    async def for_account(self, account_id: int) -> list[ResourceGroupData]:
        """Returns the groups in which services of the account may run. Costs of other accounts' groups stay hidden."""
        groups = await self._groups.deployable(account_id=account_id)
        names = await self._repository.account_names([group.account_id for group in groups])
        return [group_data(group, names.get(group.account_id), own=group.account_id == account_id) for group in groups]

    async def capacity(self, account_id: int, name: str) -> ResourceGroupCapacity:
        """Raises NotFound."""
        group = await self._group(account_id, name)
        now = self._clock.now()
        since = now - SILENT_AFTER
        found = await self._repository.servers(account_id=account_id, group_id=group.group_id, since=since)
        shown = [_server(server, room, now) for server, room in found]
        running = [server for server in shown if server.status is ServerStatus.RUNNING]
        all_ = added([server.capacity for server in running])
        return ResourceGroupCapacity(
            milli_cpu=all_.milli_cpu,
            ram_mb=all_.ram_mb,
            disk_mb=all_.disk_mb,
            gpu=all_.gpu,
            gpu_models=sorted({gpu.model for server in running for gpu in server.gpus}),
            v_ram_mb=all_.vram_mb,
            vram_mb=all_.vram_mb,
            nodes=[server.name for server in running],
            allocated=added([server.allocated for server in running]),
            used=added_measures([server.used for server in running]),
            free=added([server.free for server in running]),
            servers=shown,
        )

    async def all_services(self, account_id: int, name: str) -> ResourceGroupServicesData:
        """Raises NotFound."""
        found = await self._repository.services((await self._group(account_id, name)).group_id)
        seen = await self._states.states_of([model.model_id for model, _ in found])
        services = [
            ServiceData(
                id=_key(model),
                name=model.name,
                state=ModelState(seen[model.model_id].state),
                waits_for_server=seen[model.model_id].waits,
                start=start_of(model, seen[model.model_id]),
                active=seen[model.model_id].connected,
                requested=requested,
            )
            for model, requested in found
        ]
        return ResourceGroupServicesData(services=services)

    async def active_services(self, account_id: int, name: str) -> ResourceGroupServicesShortData:
        """Returns the services of the group that run or start. Raises NotFound."""
        every = (await self.all_services(account_id, name)).services
        idle = {ModelState.INACTIVE, ModelState.SLEEPING, ModelState.REMOVING}
        active = [ServiceShortData(id=service.id, name=service.name) for service in every if service.state not in idle]
        return ResourceGroupServicesShortData(services=active)

    async def services_at(self, account_id: int, name: str, moment: datetime | None) -> list[ServiceInfoAtTime]:
        """Raises NotFound."""
        group = await self._group(account_id, name)
        found = await self._repository.services_at(group.group_id, moment or self._clock.now())
        return [
            ServiceInfoAtTime(
                model_id=model.model_id,
                model_name_at_time=model.name,
                actual_model_name=model.name if model.deleted_at is None else None,
            )
            for model in found
        ]

    async def _group(self, account_id: int, name: str) -> ResourceGroup:
        group = await self._groups.owned(account_id=account_id, name=name)
        if group is None:
            raise NotFound(entity="resource group")
        return group


def _key(model: Model) -> ModelInfoPK:
    return ModelInfoPK(account_id=model.account_id, model_id=model.model_id)


def _server(server: Server, room: FreeRoom, now: datetime) -> ServerUseData:
    measured: Mapping[str, Any] = server.used if room.fresh else {}
    gpus = gpus_of(room, measured)
    return ServerUseData(
        server_id=server.server_id,
        name=server.name,
        status=status_of(server, now),
        instances=room.instances,
        max_instances=room.max_instances,
        capacity=capacity_of(room),
        allocated=allocated_of(room),
        used=measured_of(measured, gpus),
        free=free_of(room),
        gpus=gpus,
        runs_containers=room.runs_containers,
        programs=sorted(room.programs),
    )
