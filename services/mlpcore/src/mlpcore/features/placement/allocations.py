"""SQL of allocations, and of the room that servers have left."""

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
from mlpcore.features.placement.room import FreeRoom, Gpu
from mlpcore.features.placement.rooms import room_of, select_rooms
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
ROOM_CHANGED: Final = "room-changed"
"""The signal that instances have got room, have freed it, or begin to leave: rents begin and end with that."""


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

    async def rooms(self, group_id: int, *, since: datetime) -> Sequence[FreeRoom]:
        """Returns what the group's servers have left, in one statement. `since`: the oldest heartbeat that counts."""
        found = await self._session.execute(select_rooms(Server.group_id == group_id))
        return [room_of(row, since) for row in found.all()]

    async def add(self, grants: Sequence[Grant]) -> None:
        """Writes the room that these instances get."""
        if not grants:
            return
        signal_after_commit(self._session, ROOM_CHANGED)
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
        signal_after_commit(self._session, ROOM_CHANGED)
        await self._delete(instance_ids)

    def expect_release(self) -> None:
        """Says that instances begin to leave their servers. Nobody rents the room that they still hold."""
        signal_after_commit(self._session, ROOM_CHANGED)

    async def _delete(self, instance_ids: Collection[int]) -> None:
        ids = sa.literal(list(instance_ids), postgresql.ARRAY(sa.BigInteger))
        await self._session.execute(
            sa.delete(Allocation).where(Allocation.instance_id == sa.any_(ids)),
            execution_options={"synchronize_session": False},
        )


def _key(group_id: int) -> tuple[int, sa.ColumnElement[int]]:
    return _LOCK, sa.func.hashint8(group_id)
