"""SQL of the record of changes of accounts."""

from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import AccountChange


class ChangeRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def append(self, values: Mapping[str, object]) -> None:
        await self._session.execute(sa.insert(AccountChange).values(**values))

    async def page(
        self, account_id: int, *, offset: int, limit: int, descending: bool
    ) -> tuple[Sequence[AccountChange], int]:
        """Returns a page of the account's changes, and their total."""
        wanted = AccountChange.account_id == account_id
        order = AccountChange.id.desc() if descending else AccountChange.id.asc()
        rows = await self._session.scalars(
            sa.select(AccountChange).where(wanted).order_by(order).offset(offset).limit(limit)
        )
        total = await self._session.scalar(sa.select(sa.func.count()).select_from(AccountChange).where(wanted))
        return rows.all(), total or 0
