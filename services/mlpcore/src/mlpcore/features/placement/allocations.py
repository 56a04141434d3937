"""SQL of allocations, and of the room that servers have left."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.types import TypeEngine

from mlpcore.features.placement.account_room import Used
from mlpcore.features.placement.needs import Needs
from mlpcore.features.placement.room import Gpu, Room
from mlpcore.features.placement.tables import Allocation, GpuAllocation
from mlpcore.features.servers.tables import Server
from mlpcore.tables import Base
from mlplace_runtime.db.bulk import given_rows
from mlplace_runtime.db.database import signal_after_commit
from mlplace_runtime.failures import is_held_by_another

_LOCK = 0x706C_6163
_PATIENCE: Final = "1s"
PLACEMENT_WANTED: Final = "placement-wanted"
"""The signal of the database that the scheduler should look at once."""
_OF_SERVER = (
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


@dataclass(frozen=True, slots=True)
class Grant:
    """The room that an instance gets."""

    instance_id: int
    account_id: int
    server_id: int
    needs: Needs
    gpus: Sequence[Gpu] = ()


class Allocations:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def hold(self, group_id: int) -> None:
        """Lets one transaction at a time, of all processes, place instances in the group.

        Take it after the locks of accounts and of services, and before no lock that may be waited for.
        """
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(*_key(group_id))))

    async def hold_soon(self, group_id: int) -> bool:
        """Like `hold`, but returns False, without the lock, if others keep it for a second.

        The scheduler looks again then.
        """
        if await self._session.scalar(sa.select(sa.func.pg_try_advisory_xact_lock(*_key(group_id)))):
            return True
        usual = await self._session.scalar(sa.select(sa.func.current_setting("lock_timeout")))
        try:
            async with self._session.begin_nested():
                await self._set_patience(_PATIENCE)
                await self.hold(group_id)
                await self._set_patience(str(usual))
        except DBAPIError as error:
            if not is_held_by_another(error):
                raise
            signal_after_commit(self._session, PLACEMENT_WANTED)
            return False
        return True

    async def _set_patience(self, text: str) -> None:
        await self._session.execute(sa.select(sa.func.set_config("lock_timeout", text, True)))

    async def rooms(self, group_id: int, *, since: datetime) -> Sequence[Room]:
        """Returns what the group's servers have left, in one statement. `since`: the oldest heartbeat that counts."""
        here = sa.select(Server.server_id).where(Server.group_id == group_id)
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
            sa.select(
                GpuAllocation.server_id, GpuAllocation.gpu_id, sa.func.sum(GpuAllocation.vram_mb).label("vram_mb")
            )
            .where(GpuAllocation.server_id.in_(here))
            .group_by(GpuAllocation.server_id, GpuAllocation.gpu_id)
            .subquery()
        )
        gpus = (
            sa.select(by_gpu.c.server_id, sa.func.jsonb_object_agg(by_gpu.c.gpu_id, by_gpu.c.vram_mb).label("held"))
            .group_by(by_gpu.c.server_id)
            .subquery()
        )
        statement = (
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
            .where(Server.group_id == group_id)
            .order_by(Server.server_id)
        )
        return [_room(row, since) for row in (await self._session.execute(statement)).all()]

    async def add(self, grants: Sequence[Grant]) -> None:
        """Writes the room that these instances get."""
        if not grants:
            return
        # What a process of the previous release left.
        await self._delete([grant.instance_id for grant in grants])
        number = sa.BigInteger()
        await self._insert(
            Allocation,
            {
                "instance_id": (number, [grant.instance_id for grant in grants]),
                "server_id": (number, [grant.server_id for grant in grants]),
                "account_id": (number, [grant.account_id for grant in grants]),
                "milli_cpu": (number, [grant.needs.milli_cpu for grant in grants]),
                "ram_mb": (number, [grant.needs.ram_mb for grant in grants]),
                "disk_mb": (number, [grant.needs.disk_mb for grant in grants]),
            },
        )
        gpus = [(grant, gpu) for grant in grants for gpu in grant.gpus]
        if gpus:
            held = [gpu.vram_mb if grant.needs.vram_mb is None else grant.needs.vram_mb for grant, gpu in gpus]
            await self._insert(
                GpuAllocation,
                {
                    "instance_id": (number, [grant.instance_id for grant, _ in gpus]),
                    "gpu_id": (sa.Text(), [gpu.gpu_id for _, gpu in gpus]),
                    "server_id": (number, [grant.server_id for grant, _ in gpus]),
                    "vram_mb": (number, held),
                },
            )

    async def add_gpus(self, instance_id: int, *, server_id: int, parts: Mapping[str, int]) -> None:
        """Adds GPUs to what the instance holds. `parts`: MiB by GPU. The caller holds the group."""
        common = {"instance_id": instance_id, "server_id": server_id}
        rows = [{**common, "gpu_id": gpu_id, "vram_mb": vram_mb} for gpu_id, vram_mb in parts.items()]
        await self._session.execute(sa.insert(GpuAllocation), rows)

    async def _insert(self, table: type[Base], columns: Mapping[str, tuple[TypeEngine[Any], Sequence[object]]]) -> None:
        """Writes all rows by one statement."""
        rows = sa.select(*given_rows(columns).c)
        await self._session.execute(sa.insert(table).from_select(list(columns), rows))

    async def used_by(self, account_ids: Collection[int], *, but: Collection[int] = ()) -> Mapping[int, Used]:
        """Returns the resources that each account holds in groups of others, except for the instances `but`.

        Accounts that hold none are absent.
        """
        with_gpu = sa.exists().where(GpuAllocation.instance_id == Allocation.instance_id)
        statement = (
            sa.select(
                Allocation.account_id,
                sa.func.sum(Allocation.milli_cpu),
                sa.func.sum(Allocation.ram_mb),
                sa.func.sum(Allocation.disk_mb),
                sa.func.count().filter(with_gpu),
            )
            .join(Server, Server.server_id == Allocation.server_id)
            .where(
                Allocation.account_id.in_(account_ids),
                Server.account_id != Allocation.account_id,
                Allocation.instance_id.not_in(but),
            )
            .group_by(Allocation.account_id)
        )
        rows = (await self._session.execute(statement)).all()
        return {
            row[0]: Used(milli_cpu=int(row[1]), ram_mb=int(row[2]), disk_mb=int(row[3]), gpu_instances=row[4])
            for row in rows
        }

    async def release(self, instance_ids: Collection[int]) -> None:
        """Frees the room of these instances; the rows of GPUs go with it. The scheduler looks at once."""
        signal_after_commit(self._session, PLACEMENT_WANTED)
        await self._delete(instance_ids)

    async def _delete(self, instance_ids: Collection[int]) -> None:
        ids = sa.literal(list(instance_ids), postgresql.ARRAY(sa.BigInteger))
        await self._session.execute(
            sa.delete(Allocation).where(Allocation.instance_id == sa.any_(ids)),
            execution_options={"synchronize_session": False},
        )


def _key(group_id: int) -> tuple[int, sa.ColumnElement[int]]:
    return _LOCK, sa.func.hashint8(group_id)


def _room(row: Any, since: datetime) -> Room:
    held = defaultdict[str, int](int, row.held or {})
    milli_cpu, ram_mb, disk_mb = row.milli_cpu or 0, row.ram_mb or 0, row.disk_mb or 0
    return Room(
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
