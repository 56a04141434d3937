"""Amounts of servers and of groups: what there is, what instances hold, what is in use, what is free."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from mlpcore.features.group_use.schemas import AmountsData, GpuUseData, MeasuredData
from mlpcore.features.placement.room import FreeRoom, Gpu

_UNKNOWN: Final = MeasuredData(milli_cpu=None, ram_mb=None, disk_mb=None, gpu=None, vram_mb=None)


def capacity_of(room: FreeRoom) -> AmountsData:
    return AmountsData(
        milli_cpu=room.milli_cpu,
        ram_mb=room.ram_mb,
        disk_mb=room.disk_mb,
        gpu=len(room.gpus),
        vram_mb=sum(gpu.vram_mb for gpu in room.gpus),
    )


def allocated_of(room: FreeRoom) -> AmountsData:
    return AmountsData(
        milli_cpu=room.milli_cpu - room.free_milli_cpu,
        ram_mb=room.ram_mb - room.free_ram_mb,
        disk_mb=room.disk_mb - room.free_disk_mb,
        gpu=sum(not is_free(gpu) for gpu in room.gpus),
        vram_mb=sum(gpu.vram_mb - gpu.free_mb for gpu in room.gpus),
    )


def free_of(room: FreeRoom) -> AmountsData:
    """Returns what no instance holds; nothing where they hold more than there is."""
    return AmountsData(
        milli_cpu=max(0, room.free_milli_cpu),
        ram_mb=max(0, room.free_ram_mb),
        disk_mb=max(0, room.free_disk_mb),
        gpu=sum(map(is_free, room.gpus)),
        vram_mb=sum(max(0, gpu.free_mb) for gpu in room.gpus),
    )


def is_free(gpu: Gpu) -> bool:
    return gpu.free_mb == gpu.vram_mb


def gpus_of(room: FreeRoom, measured: Mapping[str, Any]) -> list[GpuUseData]:
    """`measured`: see `measured_of`."""
    by_id: dict[str, Mapping[str, Any]] = {gpu["gpu_id"]: gpu for gpu in measured.get("gpus", ())}
    return [
        GpuUseData(
            gpu_id=gpu.gpu_id,
            model=gpu.model,
            vram_mb=gpu.vram_mb,
            allocated_vram_mb=gpu.vram_mb - gpu.free_mb,
            free_vram_mb=max(0, gpu.free_mb),
            used_vram_mb=by_id.get(gpu.gpu_id, {}).get("used_vram_mb"),
            usage_percent=by_id.get(gpu.gpu_id, {}).get("usage_percent"),
        )
        for gpu in room.gpus
    ]


def measured_of(measured: Mapping[str, Any], gpus: Sequence[GpuUseData]) -> MeasuredData:
    """`measured`: the last report of the server, in the form of `Server.used`; empty if that is too old."""
    if not measured:
        return _UNKNOWN
    percent = _total([gpu.usage_percent for gpu in gpus])
    return MeasuredData(
        milli_cpu=measured.get("milli_cpu"),
        ram_mb=measured.get("ram_mb"),
        disk_mb=measured.get("disk_mb"),
        gpu=None if percent is None else percent / 100,
        vram_mb=_total([gpu.used_vram_mb for gpu in gpus]),
    )


def added(amounts: Sequence[AmountsData]) -> AmountsData:
    return AmountsData(**{name: sum(getattr(each, name) for each in amounts) for name in AmountsData.model_fields})


def added_measures(measures: Sequence[MeasuredData]) -> MeasuredData:
    """A sum without one of the servers would look like little use: so it is unknown, as it is without servers."""
    if not measures:
        return _UNKNOWN
    busy = _total([None if each.gpu is None else round(each.gpu * 100) for each in measures])
    return MeasuredData(
        milli_cpu=_total([each.milli_cpu for each in measures]),
        ram_mb=_total([each.ram_mb for each in measures]),
        disk_mb=_total([each.disk_mb for each in measures]),
        gpu=None if busy is None else busy / 100,
        vram_mb=_total([each.vram_mb for each in measures]),
    )


def _total(values: Sequence[int | None]) -> int | None:
    """Returns None if one of the values is unknown."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None
