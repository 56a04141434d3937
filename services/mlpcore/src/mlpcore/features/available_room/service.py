"""Says where instances would fit. It takes no locks and reserves nothing, so the answer may soon be outdated."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from mlpcore.features.available_room.schemas import (
    GroupGpuData,
    LimitUseData,
    PlacementPreviewData,
    PlacementPreviewRequest,
    PreviewedGroupData,
    ServerRoomData,
)
from mlpcore.features.group_use.amounts import free_of, is_free
from mlpcore.features.group_use.schemas import AmountsData
from mlpcore.features.instances.schemas import ExceededLimitData, LackData
from mlpcore.features.placement.account_room import AccountRoom, Used, limits_and_use
from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.room import FreeRoom, Gpu, Refusal
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.service import SILENT_AFTER
from mlplace_kit.clock import Clock
from mlplace_kit.errors import NotFound

_MOST_INSTANCES = 100


class Groups(Protocol):
    async def by_name(self, *, account_id: int, name: str) -> ResourceGroup | None: ...

    async def default_of(self, *, account_id: int) -> ResourceGroup | None: ...


class Rooms(Protocol):
    async def rooms(self, group_id: int, *, since: datetime) -> Sequence[FreeRoom]: ...


class SettingsNeeds(Protocol):
    async def of_limits(self, limits: Mapping[str, object], *, image: str | None = None, mounts: bool = False) -> Needs:
        """Returns what a service with these resource limits would need."""
        ...


class Limits(Protocol):
    async def read(self, account_id: int) -> tuple[Used, Used]:
        """Returns the limits of the account, and what is used of them."""
        ...


class AvailableRoom:
    def __init__(self, groups: Groups, rooms: Rooms, needs: SettingsNeeds, limits: Limits, clock: Clock) -> None:
        self._groups = groups
        self._rooms = rooms
        self._needs = needs
        self._limits = limits
        self._clock = clock

    async def preview(self, *, account_id: int, data: PlacementPreviewRequest) -> PlacementPreviewData:
        """Raises NotFound for a named group that the account cannot use."""
        group = await self._group(account_id, data.resource_group)
        now = self._clock.now()
        rooms = await self._rooms.rooms(group.group_id, since=now - SILENT_AFTER) if group else ()
        limits = data.resource_limits.model_dump(mode="json", by_alias=True)
        needs = await self._needs.of_limits(limits, image=data.image, mounts=data.mounts_data_images)
        ready_by = now + timedelta(seconds=data.start_timeout_sec)
        refusals = [room.refusal(needs, ready_by) for room in rooms]
        open_rooms = [room for room in rooms if room.fresh and not room.draining and room.runs(needs)]
        own = group is not None and group.account_id == account_id
        each = [_server(room, refusal) for room, refusal in zip(rooms, refusals, strict=True)] if own else []
        left = [free_of(room) for room in open_rooms]
        return PlacementPreviewData(
            group=PreviewedGroupData(owner_id=group.account_id, name=group.name) if group else None,
            servers=len(rooms),
            fitting=refusals.count(None),
            free=_combined(left, sum),
            most=_combined(left, _largest),
            gpus=_gpus(open_rooms),
            lacking=_lacking(refusal for refusal in refusals if refusal is not None),
            each_server=each,
            limit=await self._exceeded(account_id, needs, foreign=not own),
            instances=_instances(rooms, needs, ready_by),
        )

    async def limit_use(self, account_id: int) -> list[LimitUseData]:
        limits, used = await self._limits.read(account_id)
        return [
            LimitUseData(limit=limit, allowed=allowed, used=held)
            for limit, allowed, held in limits_and_use(limits, used)
        ]

    async def _group(self, account_id: int, name: str | None) -> ResourceGroup | None:
        if name is None:
            return await self._groups.default_of(account_id=account_id)
        group = await self._groups.by_name(account_id=account_id, name=name)
        if group is None:
            raise NotFound(entity="resource group")
        return group

    async def _exceeded(self, account_id: int, needs: Needs, *, foreign: bool) -> ExceededLimitData | None:
        limits, used = await self._limits.read(account_id)
        exceeded = AccountRoom(limits, used, foreign=foreign).exceeded(needs)
        return None if exceeded is None else ExceededLimitData.model_validate(exceeded.texts())


def _instances(rooms: Iterable[FreeRoom], needs: Needs, ready_by: datetime) -> int:
    """Takes the room of one instance after the other until none fits."""
    count = 0
    for room in rooms:
        while count < _MOST_INSTANCES and room.refusal(needs, ready_by) is None:
            room.take(needs, room.gpus_for(needs) if needs.gpu_count else ())
            count += 1
    return count


def _server(room: FreeRoom, refusal: Refusal | None) -> ServerRoomData:
    lack = None if refusal is None else LackData(what=refusal.lack, servers=1, missing=refusal.missing)
    return ServerRoomData(name=room.name, free=free_of(room), lack=lack)


def _largest(amounts: Iterable[int]) -> int:
    return max(amounts, default=0)


class _Combine(Protocol):
    def __call__(self, amounts: Iterable[int], /) -> int: ...


def _combined(amounts: Sequence[AmountsData], how: _Combine) -> AmountsData:
    return AmountsData(**{name: how(getattr(each, name) for each in amounts) for name in AmountsData.model_fields})


def _gpus(rooms: Iterable[FreeRoom]) -> list[GroupGpuData]:
    by_model: dict[tuple[str, int], list[Gpu]] = {}
    for room in rooms:
        for gpu in room.gpus:
            by_model.setdefault((gpu.model, gpu.vram_mb), []).append(gpu)
    return [
        GroupGpuData(
            model=model,
            vram_mb=vram_mb,
            count=len(gpus),
            free=sum(map(is_free, gpus)),
            free_vram_mb=max(0, *(gpu.free_mb for gpu in gpus)),
        )
        for (model, vram_mb), gpus in sorted(by_model.items())
    ]


def _lacking(refusals: Iterable[Refusal]) -> list[LackData]:
    """Counts the servers by what they lack, the most frequent first."""
    found: dict[str, LackData] = {}
    for refusal in refusals:
        before = found.get(refusal.lack)
        servers, least = (before.servers, before.missing) if before else (0, refusal.missing)
        found[refusal.lack] = LackData(what=refusal.lack, servers=servers + 1, missing=min(least, refusal.missing))
    return sorted(found.values(), key=lambda lack: (-lack.servers, lack.what))
