"""SQL of API keys."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.api_keys.tables import ApiKey


class ApiKeyRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def by_hash(self, key_hash: str) -> ApiKey | None:
        """Finds a key that is not revoked."""
        statement = sa.select(ApiKey).where(ApiKey.key_hash == key_hash, ApiKey.revoked_at.is_(None))
        return (await self._session.scalars(statement)).first()

    async def next_id(self) -> int:
        """Reserves an id before the row exists: the id is part of the key, and the key's hash is part of the row."""
        sequence = sa.func.nextval(sa.func.pg_get_serial_sequence(ApiKey.__tablename__, "key_id"))
        return (await self._session.execute(sa.select(sequence))).scalar_one()

    async def add(self, key: ApiKey) -> None:
        self._session.add(key)
        await self._session.flush()

    async def of_account(self, account_id: int) -> Sequence[ApiKey]:
        statement = sa.select(ApiKey).where(ApiKey.account_id == account_id, ApiKey.revoked_at.is_(None))
        return (await self._session.scalars(statement.order_by(ApiKey.key_id))).all()

    async def owned(self, *, account_id: int, key_id: int, lock: bool = False) -> ApiKey | None:
        statement = sa.select(ApiKey).where(
            ApiKey.account_id == account_id, ApiKey.key_id == key_id, ApiKey.revoked_at.is_(None)
        )
        return (await self._session.scalars(statement.with_for_update() if lock else statement)).first()

    async def expiring(self, *, now: datetime, before: datetime) -> Sequence[ApiKey]:
        """Returns the live keys of all accounts that expire after `now` and not after `before`."""
        statement = sa.select(ApiKey).where(
            ApiKey.revoked_at.is_(None), ApiKey.expires_at > now, ApiKey.expires_at <= before
        )
        return (await self._session.scalars(statement.order_by(ApiKey.key_id))).all()

    async def account_is_active(self, account_id: int) -> bool:
        """An account whose event has not arrived yet counts as active."""
        active = await self._session.scalar(sa.select(Account.active).where(Account.account_id == account_id))
        return active is not False

    async def all_with_activity(self, account_id: int | None = None) -> Sequence[tuple[ApiKey, bool]]:
        """Returns keys with whether their account is open: an account's live keys, locked, or all keys ever created."""
        statement = sa.select(ApiKey, Account.active).join(
            Account, Account.account_id == ApiKey.account_id, isouter=True
        )
        if account_id is not None:
            live = (ApiKey.account_id == account_id, ApiKey.revoked_at.is_(None))
            statement = statement.where(*live).with_for_update(of=ApiKey)
        rows = (await self._session.execute(statement.order_by(ApiKey.key_id))).all()
        return [(row[0], row[1] is not False) for row in rows]
