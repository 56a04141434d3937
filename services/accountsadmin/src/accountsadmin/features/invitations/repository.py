from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.invitations.tables import Invitation, InvitationStatus

_FRESH = {"populate_existing": True}
_PENDING = Invitation.status == InvitationStatus.PENDING.value


class InvitationRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(
        self, *, account_id: int, email: str, roles: Sequence[str], created_by: int | None, now: datetime
    ) -> Invitation | None:
        """Returns None if this address already has a pending invitation to this account."""
        values = {
            "account_id": account_id,
            "email": email,
            "roles": list(roles),
            "status": InvitationStatus.PENDING.value,
            "created_at": now,
            "created_by": created_by,
        }
        statement = postgresql.insert(Invitation).values(values).on_conflict_do_nothing()
        return await self._session.scalar(statement.returning(Invitation))

    async def pending_for(self, email: str) -> Sequence[Invitation]:
        statement = sa.select(Invitation).where(Invitation.email == email, _PENDING).order_by(Invitation.id)
        return (await self._session.scalars(statement)).all()

    async def pending_of(self, account_id: int) -> Sequence[Invitation]:
        statement = sa.select(Invitation).where(Invitation.account_id == account_id, _PENDING).order_by(Invitation.id)
        return (await self._session.scalars(statement)).all()

    async def for_email(self, invitation_id: int, email: str) -> Invitation | None:
        statement = sa.select(Invitation).where(Invitation.id == invitation_id, Invitation.email == email)
        return await self._session.scalar(statement)

    async def of_account(self, invitation_id: int, account_id: int) -> Invitation | None:
        statement = sa.select(Invitation).where(Invitation.id == invitation_id, Invitation.account_id == account_id)
        return await self._session.scalar(statement)

    async def close(self, invitation_id: int, status: InvitationStatus, now: datetime) -> bool:
        """Returns whether this call closed it; of concurrent calls only one does."""
        statement = sa.update(Invitation).where(Invitation.id == invitation_id, _PENDING)
        closed = statement.values(status=status.value, closed_at=now).returning(Invitation.id)
        return await self._session.scalar(closed, execution_options=_FRESH) is not None
