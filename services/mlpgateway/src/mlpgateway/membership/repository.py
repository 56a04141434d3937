"""All SQL on the live gates. Times are the database's, so that the hosts' clocks do not matter."""

import uuid
from collections.abc import Iterable
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from mlpgateway.call.ports import GateMembers
from mlpgateway.membership.tables import GateMember
from mlplace_runtime.db.polling import poll

_FORGET_AFTER = timedelta(minutes=1)
_ALIVE = (
    sa.select(GateMember.address, GateMember.internal_address, GateMember.leaving)
    .where(GateMember.heartbeat_at > sa.func.now() - sa.bindparam("within", type_=sa.Interval()))
    .order_by(GateMember.address)
)


class GateMemberRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def take(self, address: str, gate_id: uuid.UUID, *, internal: str) -> None:
        """Registers the gate at this address, replacing an earlier process."""
        own = {"gate_id": gate_id, "internal_address": internal, "leaving": False}
        statement = insert(GateMember).values(address=address, **own)
        taken_over = {**own, "heartbeat_at": sa.func.now()}
        await self._session.execute(statement.on_conflict_do_update(index_elements=["address"], set_=taken_over))

    async def beat(self, address: str, gate_id: uuid.UUID, *, internal: str, leaving: bool) -> None:
        """Writes a heartbeat. Has no effect when another process has taken over the address."""
        own = {"gate_id": gate_id, "internal_address": internal, "leaving": leaving}
        statement = insert(GateMember).values(address=address, **own)
        statement = statement.on_conflict_do_update(
            index_elements=["address"],
            set_={"heartbeat_at": sa.func.now(), "leaving": leaving},
            where=GateMember.gate_id == gate_id,
        )
        await self._session.execute(statement)
        await self._session.execute(
            sa.delete(GateMember).where(GateMember.heartbeat_at < sa.func.now() - _FORGET_AFTER)
        )

    async def remove(self, address: str, gate_id: uuid.UUID) -> None:
        mine = sa.and_(GateMember.address == address, GateMember.gate_id == gate_id)
        await self._session.execute(sa.delete(GateMember).where(mine))

    async def live(self, *, within: timedelta) -> GateMembers:
        """Returns the gates with a heartbeat within the given time."""
        return _members((await self._session.execute(_ALIVE, {"within": within})).all())


async def seen(connection: AsyncConnection, *, within: timedelta) -> GateMembers:
    """Like `live`, on a bare connection: each gate looks twice a second."""
    return _members(await poll(connection, _ALIVE, within=within))


def _members(rows: Iterable[tuple[str, str, bool]]) -> GateMembers:
    found = list(rows)
    return GateMembers(
        active=tuple(sorted(address for address, _, leaving in found if not leaving)),
        retiring=tuple(sorted(address for address, _, leaving in found if leaving)),
        internal=tuple((address, internal) for address, internal, _ in found if internal),
    )
