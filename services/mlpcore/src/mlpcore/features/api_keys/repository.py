"""SQL of API keys."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.api_keys.tables import ApiKey


class ApiKeyRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def by_hash(self, key_hash: str) -> ApiKey | None:
        """A key that is not revoked."""
        statement = sa.select(ApiKey).where(ApiKey.key_hash == key_hash, ApiKey.revoked_at.is_(None))
        return (await self._session.scalars(statement)).first()
