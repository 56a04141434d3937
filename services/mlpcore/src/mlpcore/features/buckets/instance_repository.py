"""SQL of the credentials of instances."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.buckets.tables import Bucket, InstanceCredential

_LIVE = InstanceCredential.ended_at.is_(None)


class InstanceCredentialRepository:
    """Implements StorageCredentials."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of_instances(self, instance_ids: Sequence[int]) -> Sequence[tuple[InstanceCredential, str | None]]:
        """Returns the valid credentials of the instances, each with the name of its bucket."""
        statement = (
            sa.select(InstanceCredential, Bucket.name)
            .outerjoin(Bucket, Bucket.account_id == InstanceCredential.account_id)
            .where(InstanceCredential.instance_id.in_(instance_ids), _LIVE)
        )
        return [(row[0], row[1]) for row in await self._session.execute(statement)]

    async def signing(self, access_key: str) -> tuple[InstanceCredential, Bucket] | None:
        """Returns None also for one that has ended, and for one of an account that is blocked."""
        statement = (
            sa.select(InstanceCredential, Bucket)
            .join(Bucket, Bucket.account_id == InstanceCredential.account_id)
            .join(Account, Account.account_id == InstanceCredential.account_id)
            .where(InstanceCredential.access_key == access_key, _LIVE, Account.active)
        )
        row = (await self._session.execute(statement)).first()
        return None if row is None else (row[0], row[1])

    async def keep_buckets(self, account_ids: Sequence[int]) -> Mapping[int, str]:
        """Returns names of the accounts' buckets, which nobody deletes before this transaction has ended."""
        statement = (
            sa.select(Bucket.account_id, Bucket.name)
            .where(Bucket.account_id.in_(account_ids))
            .order_by(Bucket.account_id)
            .with_for_update(key_share=True, read=True)
        )
        return {row[0]: row[1] for row in await self._session.execute(statement)}

    async def add(self, credentials: Sequence[InstanceCredential]) -> None:
        self._session.add_all(credentials)
        await self._session.flush()

    async def end(self, instance_ids: Sequence[int], *, at: datetime) -> None:
        """Ends the credentials of the instances and deletes their secrets. Those that have none are no error."""
        await self._end(InstanceCredential.instance_id.in_(instance_ids), at)

    async def end_these(self, credential_ids: Sequence[int], *, at: datetime) -> None:
        await self._end(InstanceCredential.credential_id.in_(credential_ids), at)

    async def _end(self, chosen: sa.ColumnElement[bool], at: datetime) -> None:
        statement = sa.update(InstanceCredential).where(chosen, _LIVE).values(ended_at=at, secret_sealed=None)
        await self._session.execute(statement)

    async def forget_ended(self, *, before: datetime, most: int) -> int:
        """Deletes credentials that ended before that time. Returns how many."""
        old = sa.select(InstanceCredential.credential_id).where(InstanceCredential.ended_at < before).limit(most)
        statement = sa.delete(InstanceCredential).where(InstanceCredential.credential_id.in_(old))
        deleted = statement.returning(InstanceCredential.credential_id)
        return len((await self._session.scalars(deleted)).all())
