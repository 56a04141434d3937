"""All SQL on the live gates. Times are the database's, so that clocks of hosts do not matter."""

import uuid
from datetime import timedelta

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.gate.ports import GateMembers
from mlpgateway.gate.tables import GateMember

_SWEEP_AFTER = timedelta(minutes=1)


class GateMemberRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def take(self, address: str, gate_id: uuid.UUID) -> None:
        """Be the gate at this address, whoever was it before."""
        statement = insert(GateMember).values(address=address, gate_id=gate_id, leaving=False)
        taken_over = {"gate_id": gate_id, "leaving": False, "heartbeat_at": sa.func.now()}
        await self._session.execute(statement.on_conflict_do_update(index_elements=["address"], set_=taken_over))

    async def beat(self, address: str, gate_id: uuid.UUID, *, leaving: bool) -> None:
        """Say that the gate lives. No effect when another process has taken the address over."""
        statement = insert(GateMember).values(address=address, gate_id=gate_id, leaving=leaving)
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
        statement = sa.select(GateMember.address, GateMember.leaving).where(
            GateMember.heartbeat_at > sa.func.now() - within
        )
        rows = (await self._session.execute(statement)).all()
        return GateMembers(
            active=tuple(sorted(row.address for row in rows if not row.leaving)),
            retiring=tuple(sorted(row.address for row in rows if row.leaving)),
        )
