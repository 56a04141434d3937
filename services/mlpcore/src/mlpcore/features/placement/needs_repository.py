"""SQL of the needs that settings would have which no service has yet."""

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.placement.needs import COLUMNS, Needs


class NeedsRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of_limits(self, limits: Mapping[str, object], *, image: str | None = None, mounts: bool = False) -> Needs:
        """Returns what a service with these resource limits, in the wire's shape, would need.

        `image`, `mounts`: like those of `Needs`.
        """
        written = sa.literal(limits, postgresql.JSONB)
        computed = [getattr(sa.func, f"needed_{column.key}")(written, type_=column.type) for column in COLUMNS]
        return Needs.read(*(await self._session.execute(sa.select(*computed))).one(), image=image, mounts=mounts)
