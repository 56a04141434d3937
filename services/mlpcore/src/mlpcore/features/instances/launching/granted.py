"""What an instance may use on its server."""

from collections.abc import Mapping
from dataclasses import dataclass

from mlpcore.features.instances.room_repository import HeldRoom
from mlpcore.features.models.tables import Model

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Granted:
    """What an instance may use. `milli_cpu` is guaranteed; `memory_bytes` and `disk_bytes` are hard limits.

    `gpu_ids`: the only GPUs that it may use; `gpu_memory_mb`: its part of the memory of each, None for all of it.
    """

    milli_cpu: int
    memory_bytes: int
    disk_bytes: int | None
    gpu_ids: tuple[str, ...]
    gpu_memory_mb: int | None


def granted(room: HeldRoom, vram_mb: Mapping[str, int]) -> Granted:
    """`vram_mb`: the memory of each GPU of the server. An instance that holds all of it has no limit below it."""
    parts = [held for gpu_id, held in room.gpus.items() if held < vram_mb.get(gpu_id, 0)]
    return Granted(
        milli_cpu=max(1, room.milli_cpu),
        memory_bytes=max(1, room.ram_mb * _MIB),
        disk_bytes=room.disk_mb * _MIB or None,
        gpu_ids=tuple(room.gpus),
        gpu_memory_mb=max(1, min(parts)) if parts else None,
    )


def needed(model: Model) -> HeldRoom:
    """Returns what an instance of the model needs that holds nothing: the previous release placed it."""
    return HeldRoom(model.milli_cpu, model.ram_mb, model.disk_mb, {})
