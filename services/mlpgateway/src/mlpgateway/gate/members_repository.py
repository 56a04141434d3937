"""All SQL on the live gates. Times are the database's, so that clocks of hosts do not matter."""

import uuid
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

from mlpgateway.gate.ports import GateMembers
from mlpgateway.gate.tables import GateMember

_SWEEP_AFTER = timedelta(minutes=1)
# Made once: each gate asks this twice a second, whatever else it does.
_ALIVE = (
    sa.select(GateMember.address, GateMember.internal_address, GateMember.leaving)
    .where(GateMember.heartbeat_at > sa.func.now() - sa.bindparam("within", type_=sa.Interval()))
    .order_by(GateMember.address)
)


class GateMemberRepository:
    def __init__(self, session: AsyncSession | AsyncConnection) -> None:
        self._session = session

    async def take(self, address: str, gate_id: uuid.UUID, *, internal: str) -> None:
        """Be the gate at this address, whoever was it before."""
        own = {"gate_id": gate_id, "internal_address": internal, "leaving": False}
        statement = insert(GateMember).values(address=address, **own)
        taken_over = {**own, "heartbeat_at": sa.func.now()}
        await self._session.execute(statement.on_conflict_do_update(index_elements=["address"], set_=taken_over))

    async def beat(self, address: str, gate_id: uuid.UUID, *, internal: str, leaving: bool) -> None:
        """Say that the gate lives. No effect when another process has taken the address over."""
        own = {"gate_id": gate_id, "internal_address": internal, "leaving": leaving}
        statement = insert(GateMember).values(address=address, **own)
        statement = statement.on_conflict_do_update(
            index_elements=["address"],
            set_={"heartbeat_at": sa.func.now(), "leaving": leaving},
            where=GateMember.gate_id == gate_id,
        )
        await self._session.execute(statement)
        await self._session.execute(sa.delete(GateMember).where(GateMember.heartbeat_at < sa.func.now() - _SWEEP_AFTER))

    async def remove(self, address: str, gate_id: uuid.UUID) -> None:
        mine = sa.and_(GateMember.address == address, GateMember.gate_id == gate_id)
        await self._session.execute(sa.delete(GateMember).where(mine))

    async def live(self, *, within: timedelta) -> GateMembers:
        """Those that gave a sign of life within the given time."""
        rows = (await self._session.execute(_ALIVE, {"within": within})).all()
        return GateMembers(
            active=tuple(sorted(row.address for row in rows if not row.leaving)),
            retiring=tuple(sorted(row.address for row in rows if row.leaving)),
            internal=tuple((row.address, row.internal_address) for row in rows if row.internal_address),
        )
