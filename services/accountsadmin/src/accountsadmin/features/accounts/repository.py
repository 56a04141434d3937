from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.accounts.tables import Account
from mlplace_kit.names import PathRef

_FRESH = {"populate_existing": True}


class AccountRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def find(self, ref: PathRef) -> Account | None:
        if ref.id is not None:
            return await self._session.get(Account, ref.id)
        return await self._session.scalar(sa.select(Account).where(Account.short_name == ref.name))

    async def by_ids(self, account_ids: Collection[int]) -> Sequence[Account]:
        statement = sa.select(Account).where(Account.id.in_(account_ids)).order_by(Account.id)
        return (await self._session.scalars(statement)).all()

    async def add(self, values: dict[str, object]) -> Account | None:
        """Returns None if the short name is taken."""
        statement = postgresql.insert(Account).values(values).on_conflict_do_nothing(index_elements=["short_name"])
        return await self._session.scalar(statement.returning(Account))

    async def change(self, account_id: int, values: dict[str, object]) -> Account | None:
        statement = sa.update(Account).where(Account.id == account_id).values(version=Account.version + 1, **values)
        return await self._session.scalar(statement.returning(Account), execution_options=_FRESH)
