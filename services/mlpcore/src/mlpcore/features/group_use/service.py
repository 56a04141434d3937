"""What owners of resource groups see of their use."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from mlpcore.features.group_administration.schemas import ResourceGroupData
from mlpcore.features.group_administration.service import group_data
from mlpcore.features.group_use.repository import GroupUseRepository
from mlpcore.features.group_use.schemas import (
    AmountsData,
    GpuUseData,
    MeasuredData,
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
from mlpcore.features.placement.room import Room
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


class Servers(Protocol):
    async def of_group(self, *, account_id: int, group_id: int) -> Sequence[Server]: ...


class Rooms(Protocol):
    async def rooms(self, group_id: int, *, since: datetime) -> Sequence[Room]: ...


class GroupUseService:
    def __init__(
        self,
        repository: GroupUseRepository,
        groups: Groups,
        servers: Servers,
        rooms: Rooms,
        states: ModelStates,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._groups = groups
        self._servers = servers
        self._rooms = rooms
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
        servers = await self._servers.of_group(account_id=account_id, group_id=group.group_id)
        rooms = {room.server_id: room for room in await self._rooms.rooms(group.group_id, since=now - SILENT_AFTER)}
        held = await self._repository.gpus_in_use(group.group_id)
        shown = [_server(server, rooms[server.server_id], held, now) for server in servers if server.server_id in rooms]
        running = [server for server in shown if server.status is ServerStatus.RUNNING]
        all_, allocated = _sum([s.capacity for s in running]), _sum([s.allocated for s in running])
        return ResourceGroupCapacity(
            milli_cpu=all_.milli_cpu,
            ram_mb=all_.ram_mb,
            disk_mb=all_.disk_mb,
            gpu=all_.gpu,
            gpu_models=sorted({gpu.model for server in running for gpu in server.gpus}),
            v_ram_mb=all_.vram_mb,
            vram_mb=all_.vram_mb,
            nodes=[server.name for server in running],
            allocated=allocated,
            free=_sum([_left(server) for server in running]),
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


def _server(server: Server, room: Room, held: Mapping[tuple[int, str], int], now: datetime) -> ServerUseData:
    measured: Mapping[str, Any] = server.used
    by_gpu: dict[str, Mapping[str, Any]] = {gpu["gpu_id"]: gpu for gpu in measured.get("gpus", ())}
    gpus = [
        GpuUseData(
            gpu_id=gpu.gpu_id,
            model=gpu.model,
            vram_mb=gpu.vram_mb,
            allocated_vram_mb=held.get((server.server_id, gpu.gpu_id), 0),
            used_vram_mb=by_gpu.get(gpu.gpu_id, {}).get("used_vram_mb"),
            usage_percent=by_gpu.get(gpu.gpu_id, {}).get("usage_percent"),
        )
        for gpu in room.gpus
    ]
    return ServerUseData(
        server_id=server.server_id,
        name=server.name,
        status=status_of(server, now),
        instances=room.instances,
        max_instances=room.max_instances,
        capacity=AmountsData(
            milli_cpu=room.milli_cpu,
            ram_mb=room.ram_mb,
            disk_mb=room.disk_mb,
            gpu=len(gpus),
            vram_mb=sum(gpu.vram_mb for gpu in gpus),
        ),
        allocated=AmountsData(
            milli_cpu=room.milli_cpu - room.free_milli_cpu,
            ram_mb=room.ram_mb - room.free_ram_mb,
            disk_mb=room.disk_mb - room.free_disk_mb,
            gpu=sum(gpu.allocated_vram_mb > 0 for gpu in gpus),
            vram_mb=sum(gpu.allocated_vram_mb for gpu in gpus),
        ),
        used=MeasuredData(
            milli_cpu=measured.get("milli_cpu"), ram_mb=measured.get("ram_mb"), disk_mb=measured.get("disk_mb")
        ),
        gpus=gpus,
        runs_containers=room.runs_containers,
        programs=sorted(room.programs),
    )


def _left(server: ServerUseData) -> AmountsData:
    """Returns what is not allocated; nothing where more is allocated than there is."""
    names = AmountsData.model_fields
    return AmountsData(**{n: max(0, getattr(server.capacity, n) - getattr(server.allocated, n)) for n in names})


def _sum(amounts: Sequence[AmountsData]) -> AmountsData:
    return AmountsData(**{name: sum(getattr(each, name) for each in amounts) for name in AmountsData.model_fields})
