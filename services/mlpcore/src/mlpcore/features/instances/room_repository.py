"""SQL of what instances hold on their server."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.placement.tables import Allocation, GpuAllocation


@dataclass(frozen=True, slots=True)
class HeldRoom:
    """CPU in thousandths of a core; memory and disk in MiB. `gpus`: VRAM in MiB by GPU id, in the order of the ids."""

    milli_cpu: int
    ram_mb: int
    disk_mb: int
    gpus: Mapping[str, int]


class RoomRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def held(self, instance_ids: Sequence[int], *, server_id: int) -> Mapping[int, HeldRoom]:
        """Returns what the instances hold on this server. Those without an allocation there are absent."""
        gpus = sa.func.jsonb_object_agg(GpuAllocation.gpu_id, GpuAllocation.vram_mb)
        statement = (
            sa.select(Allocation, gpus.filter(GpuAllocation.gpu_id.is_not(None)).label("gpus"))
            .outerjoin(GpuAllocation, GpuAllocation.instance_id == Allocation.instance_id)
            .where(Allocation.instance_id.in_(instance_ids), Allocation.server_id == server_id)
            .group_by(Allocation.instance_id)
        )
        return {
            row.instance_id: HeldRoom(row.milli_cpu, row.ram_mb, row.disk_mb, _sorted(gpus))
            for row, gpus in (await self._session.execute(statement)).all()
        }


def _sorted(gpus: Mapping[str, int] | None) -> Mapping[str, int]:
    return dict(sorted(gpus.items())) if gpus else {}
