"""SQL that compares allocations with the instances and the GPUs that they are for."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.buckets.tables import InstanceCredential
from mlpcore.features.instances.conditions import active, live, managed, on_server
from mlpcore.features.instances.tables import Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.servers.tables import Server

_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Unallocated:
    """A locked instance on a server without an allocation. `last_heartbeat_at`: of the server's agent."""

    instance: Instance
    model: Model
    last_heartbeat_at: datetime | None


class AllocatedRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def lock_unallocated(self) -> Sequence[Unallocated]:
        """Locks and returns instances on servers without an allocation, and skips rows that are locked already."""
        allocated = sa.exists().where(Allocation.instance_id == Instance.instance_id)
        statement = (
            sa.select(Instance, Model, Server.last_heartbeat_at)
            .join(Model, Model.model_id == Instance.model_id)
            .outerjoin(Server, Server.server_id == Instance.server_id)
            .where(live(), on_server(), ~allocated)
            .order_by(Instance.instance_id)
            .limit(_AT_ONCE)
            .with_for_update(of=Instance, skip_locked=True)
            .execution_options(populate_existing=True)
        )
        return [Unallocated(*row) for row in (await self._session.execute(statement)).all()]

    async def lock_orphans(self) -> Sequence[int]:
        """Locks allocations whose instance has ended or is not on their server. Returns their instances."""
        there = sa.and_(
            Instance.instance_id == Allocation.instance_id, Instance.server_id == Allocation.server_id, live()
        )
        statement = sa.select(Allocation.instance_id).where(~sa.exists().where(there))
        locked = statement.order_by(Allocation.instance_id).with_for_update(of=Allocation, skip_locked=True)
        return (await self._session.scalars(locked)).all()

    async def stale_credentials(self) -> Sequence[int]:
        """Returns valid credentials of instances that are gone, and of earlier generations than the present one."""
        there = sa.and_(
            Instance.instance_id == InstanceCredential.instance_id,
            Instance.generation == InstanceCredential.generation,
            sa.or_(~managed(), on_server()),
            live(),
        )
        statement = sa.select(InstanceCredential.credential_id).where(
            InstanceCredential.ended_at.is_(None), ~sa.exists().where(there)
        )
        return (await self._session.scalars(statement.limit(_AT_ONCE))).all()

    async def vanished_gpus(self, *, since: datetime) -> Sequence[tuple[int, str]]:
        """Returns server and GPU of each allocation of a GPU that its server, heard since then, no longer reports."""
        path = sa.cast("$[*].gpu_id", postgresql.JSONPATH)
        reported = sa.func.jsonb_path_query_array(Server.gpus, path, type_=postgresql.JSONB)
        statement = (
            sa.select(GpuAllocation.server_id, GpuAllocation.gpu_id)
            .distinct()
            .join(Server, Server.server_id == GpuAllocation.server_id)
            .where(Server.last_heartbeat_at >= since, ~reported.has_key(GpuAllocation.gpu_id))
            .order_by(GpuAllocation.server_id, GpuAllocation.gpu_id)
        )
        return [(row[0], row[1]) for row in (await self._session.execute(statement)).all()]

    async def lock_on_gpus(self, gpus: Sequence[tuple[int, str]]) -> Sequence[Instance]:
        """Locks and returns the instances that hold these GPUs and are not being removed."""
        held = sa.exists().where(
            GpuAllocation.instance_id == Instance.instance_id,
            sa.tuple_(GpuAllocation.server_id, GpuAllocation.gpu_id).in_(gpus),
        )
        statement = sa.select(Instance).where(held, active())
        locked = statement.order_by(Instance.instance_id).with_for_update(of=Instance, skip_locked=True)
        return (await self._session.scalars(locked.execution_options(populate_existing=True))).all()
