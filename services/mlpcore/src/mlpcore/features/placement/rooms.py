"""SQL of the room that servers have left."""

from collections import defaultdict
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa

from mlpcore.features.placement.room import FreeRoom, Gpu
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.servers.tables import Server

_OF_SERVER: Final = (
    Server.server_id,
    Server.name,
    Server.last_heartbeat_at,
    Server.draining_since,
    Server.expires_at,
    Server.labels,
    Server.max_instances,
    Server.milli_cpu,
    Server.ram_mb,
    Server.disk_mb,
    Server.gpus,
    Server.runs_containers,
    Server.programs,
)


def select_rooms(chosen: sa.ColumnElement[bool]) -> sa.Select[*tuple[Any, ...]]:
    """Selects what `room_of` needs of the servers that fulfil the condition, by id: one statement for all of them.

    Sums of amounts are numeric: those of several instances may exceed 64 bits.
    """
    here = sa.select(Server.server_id).where(chosen)
    taken = (
        sa.select(
            Allocation.server_id,
            sa.func.count().label("instances"),
            sa.func.sum(Allocation.milli_cpu).label("held_milli_cpu"),
            sa.func.sum(Allocation.ram_mb).label("held_ram_mb"),
            sa.func.sum(Allocation.disk_mb).label("held_disk_mb"),
        )
        .where(Allocation.server_id.in_(here))
        .group_by(Allocation.server_id)
        .subquery()
    )
    by_gpu = (
        sa.select(GpuAllocation.server_id, GpuAllocation.gpu_id, sa.func.sum(GpuAllocation.vram_mb).label("vram_mb"))
        .where(GpuAllocation.server_id.in_(here))
        .group_by(GpuAllocation.server_id, GpuAllocation.gpu_id)
        .subquery()
    )
    gpus = (
        sa.select(by_gpu.c.server_id, sa.func.jsonb_object_agg(by_gpu.c.gpu_id, by_gpu.c.vram_mb).label("held"))
        .group_by(by_gpu.c.server_id)
        .subquery()
    )
    return (
        sa.select(
            *_OF_SERVER,
            taken.c.instances,
            taken.c.held_milli_cpu,
            taken.c.held_ram_mb,
            taken.c.held_disk_mb,
            gpus.c.held,
        )
        .outerjoin(taken, taken.c.server_id == Server.server_id)
        .outerjoin(gpus, gpus.c.server_id == Server.server_id)
        .where(chosen)
        .order_by(Server.server_id)
    )


def room_of(row: Any, since: datetime) -> FreeRoom:
    """`since`: the oldest heartbeat that counts."""
    held = defaultdict[str, int](int, row.held or {})
    milli_cpu, ram_mb, disk_mb = row.milli_cpu or 0, row.ram_mb or 0, row.disk_mb or 0
    return FreeRoom(
        server_id=row.server_id,
        name=row.name,
        fresh=row.last_heartbeat_at is not None and row.last_heartbeat_at >= since,
        draining=row.draining_since is not None,
        expires_at=row.expires_at,
        labels=row.labels,
        instances=row.instances or 0,
        max_instances=row.max_instances,
        milli_cpu=milli_cpu,
        ram_mb=ram_mb,
        disk_mb=disk_mb,
        free_milli_cpu=milli_cpu - int(row.held_milli_cpu or 0),
        free_ram_mb=ram_mb - int(row.held_ram_mb or 0),
        free_disk_mb=disk_mb - int(row.held_disk_mb or 0),
        gpus=[
            Gpu(gpu["gpu_id"], gpu["model"], gpu["vram_mb"], gpu["vram_mb"] - held[gpu["gpu_id"]]) for gpu in row.gpus
        ],
        runs_containers=row.runs_containers,
        programs=frozenset(row.programs),
    )
