"""SQL of instances that hold room in a resource group, and of the locks under which one is evicted."""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.activity.tables import ModelActivity
from mlpcore.features.instances.conditions import active, moving, on_server, serving
from mlpcore.features.instances.tables import HostingRequest, Instance
from mlpcore.features.models.tables import Model
from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.servers.tables import Server
from mlpcore.features.tasks.states import OVER
from mlpcore.features.tasks.tables import Task
from mlpcore.operations import OperationType
from mlplace_runtime.db.database import call_after_commit


@dataclass(frozen=True, slots=True)
class Holder:
    """An instance with room, its model and when that was last called. `busy`: it answers no calls, but trains for
    example, or its model is trained or exchanged; `moving`: the server is being drained.
    """

    instance: Instance
    model: Model
    needs: Needs
    gpus: tuple[tuple[str, int], ...]
    last_activity_at: datetime | None
    busy: bool
    moving: bool


class EvictionRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    def after_commit(self, call: Callable[[], None]) -> None:
        call_after_commit(self._session, call)

    async def holders(self, group_id: int) -> Sequence[Holder]:
        """Returns the instances of all accounts that hold room in the group."""
        gpus = await self._gpus(group_id)
        running = Task.status.not_in([status.value for status in OVER])
        fitted = sa.exists().where(Task.model_id == Model.model_id, Task.operation == OperationType.FIT.value, running)
        exchanged = sa.exists().where(HostingRequest.model_id == Model.model_id, HostingRequest.surge > 0)
        statement = (
            sa.select(
                Instance,
                Model,
                Allocation,
                ModelActivity.last_activity_at,
                sa.or_(~serving(), fitted, exchanged),
                Server.draining_since,
            )
            .join(Allocation, Allocation.instance_id == Instance.instance_id)
            .join(Server, Server.server_id == Allocation.server_id)
            .join(Model, Model.model_id == Instance.model_id)
            .outerjoin(ModelActivity, ModelActivity.model_id == Model.model_id)
            .where(Server.group_id == group_id)
            .order_by(Instance.instance_id)
        )
        return [
            Holder(
                instance,
                model,
                Needs(
                    milli_cpu=held.milli_cpu,
                    ram_mb=held.ram_mb,
                    disk_mb=held.disk_mb,
                    gpu_count=len(gpus[held.instance_id]),
                ),
                tuple(gpus[held.instance_id]),
                used_at,
                busy,
                draining_since is not None,
            )
            for instance, model, held, used_at, busy, draining_since in (await self._session.execute(statement)).all()
        ]

    async def _gpus(self, group_id: int) -> Mapping[int, list[tuple[str, int]]]:
        here = sa.select(Server.server_id).where(Server.group_id == group_id)
        found = defaultdict[int, list[tuple[str, int]]](list)
        statement = sa.select(GpuAllocation).where(GpuAllocation.server_id.in_(here))
        for row in (await self._session.scalars(statement)).all():
            found[row.instance_id].append((row.gpu_id, row.vram_mb))
        return found

    async def staying(self, model_ids: Sequence[int]) -> Mapping[int, int]:
        """Counts the instances that answer calls on servers that are not being drained, by model."""
        statement = sa.select(Instance.model_id).where(
            Instance.model_id.in_(model_ids),
            on_server(),
            active(),
            serving(),
            ~moving(),
        )
        return Counter((await self._session.scalars(statement)).all())

    async def lock(self, instance_id: int, model_id: int) -> tuple[Instance, HostingRequest] | None:
        """Locks the instance and its model's request; None if another transaction holds one of them.

        Waits for no lock: the caller holds the group's.
        """
        request = sa.select(HostingRequest).where(HostingRequest.model_id == model_id)
        instance = sa.select(Instance).where(Instance.instance_id == instance_id, active())
        options = {"populate_existing": True}
        found = (
            await self._session.scalars(request.with_for_update(skip_locked=True).execution_options(**options))
        ).first()
        row = (
            await self._session.scalars(instance.with_for_update(skip_locked=True).execution_options(**options))
        ).first()
        return None if found is None or row is None else (row, found)
