from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.limits.tables import AccountLimits


class LimitsRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def store(self, values: dict[str, object]) -> None:
        """Stores the values unless newer ones are stored already."""
        insert = postgresql.insert(AccountLimits).values(values)
        statement = insert.on_conflict_do_update(
            index_elements=[AccountLimits.account_id],
            set_={name: insert.excluded[name] for name in values if name != "account_id"},
            where=AccountLimits.version < insert.excluded.version,
        )
        await self._session.execute(statement)

    async def features(self, account_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
        statement = sa.select(AccountLimits.account_id, AccountLimits.features)
        rows = await self._session.execute(statement.where(AccountLimits.account_id.in_(account_ids)))
        return {account_id: tuple(features) for account_id, features in rows}
