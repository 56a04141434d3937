from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.memberships.tables import Membership

_FRESH = {"populate_existing": True}
_LIVE = sa.func.cardinality(Membership.roles) > 0


class MembershipRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of_user(self, user_id: int) -> Sequence[Membership]:
        statement = sa.select(Membership).where(Membership.user_id == user_id, _LIVE)
        return (await self._session.scalars(statement.order_by(Membership.account_id))).all()

    async def of_account(self, account_id: int) -> Sequence[Membership]:
        statement = sa.select(Membership).where(Membership.account_id == account_id, _LIVE)
        return (await self._session.scalars(statement.order_by(Membership.user_id))).all()

    async def get(self, account_id: int, user_id: int) -> Membership | None:
        statement = sa.select(Membership).where(
            Membership.account_id == account_id, Membership.user_id == user_id, _LIVE
        )
        return await self._session.scalar(statement)

    async def add_roles(self, account_id: int, user_id: int, roles: Sequence[str], now: datetime) -> Membership:
        """Creates the membership, or adds the roles to it."""
        values = {
            "account_id": account_id,
            "user_id": user_id,
            "roles": list(roles),
            "created_at": now,
            "version": 1,
        }
        union = sa.text("ARRAY(SELECT DISTINCT unnest(memberships.roles || excluded.roles) ORDER BY 1)")
        statement = postgresql.insert(Membership).values(values)
        statement = statement.on_conflict_do_update(
            index_elements=[Membership.account_id, Membership.user_id],
            set_={"roles": union, "version": Membership.version + 1},
        )
        return (await self._session.scalars(statement.returning(Membership), execution_options=_FRESH)).one()

    async def replace_roles(self, account_id: int, user_id: int, roles: Sequence[str]) -> Membership | None:
        """Returns None if there is no membership, or if it has ended."""
        statement = sa.update(Membership).where(
            Membership.account_id == account_id, Membership.user_id == user_id, _LIVE
        )
        changed = statement.values(roles=list(roles), version=Membership.version + 1).returning(Membership)
        return await self._session.scalar(changed, execution_options=_FRESH)
