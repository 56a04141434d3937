from collections.abc import Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from accountsadmin.features.domains.tables import Domain

_REPLACE_LOCK = 0x646F_6D61


class DomainRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def all(self) -> Sequence[Domain]:
        return (await self._session.scalars(sa.select(Domain).order_by(Domain.domain))).all()

    async def by_name(self, name: str) -> Domain | None:
        return await self._session.get(Domain, name)

    async def of_product(self, product: str) -> Sequence[Domain]:
        return (await self._session.scalars(sa.select(Domain).where(Domain.product == product))).all()

    async def replace(self, rows: Sequence[Mapping[str, object]]) -> None:
        """Replaces all rows under a lock: two concurrent replacements would leave a mixture."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_REPLACE_LOCK)))
        await self._session.execute(sa.delete(Domain))
        if rows:
            await self._session.execute(sa.insert(Domain), list(rows))
