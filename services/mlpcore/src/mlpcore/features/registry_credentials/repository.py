"""SQL of credentials of registries."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.registry_credentials.tables import RegistryCredential

_LOCK = 0x7265_6769


class RegistryCredentialRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def of_account(self, account_id: int) -> Sequence[RegistryCredential]:
        statement = sa.select(RegistryCredential).where(RegistryCredential.account_id == account_id)
        return (await self._session.scalars(statement.order_by(RegistryCredential.host))).all()

    async def of_accounts(self, account_ids: Collection[int]) -> Sequence[RegistryCredential]:
        statement = sa.select(RegistryCredential).where(RegistryCredential.account_id.in_(account_ids))
        return (await self._session.scalars(statement)).all()

    async def hold(self, account_id: int) -> None:
        """Lets one transaction at a time, of all processes, add credentials to the account."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, sa.func.hashint8(account_id))))

    async def lock(self, *, account_id: int, credential_id: int) -> RegistryCredential | None:
        statement = sa.select(RegistryCredential).where(
            RegistryCredential.account_id == account_id, RegistryCredential.credential_id == credential_id
        )
        return (await self._session.scalars(statement.with_for_update())).first()

    async def add(self, credential: RegistryCredential) -> None:
        self._session.add(credential)
        await self._session.flush()

    async def flush(self) -> None:
        await self._session.flush()

    async def delete(self, credential: RegistryCredential) -> None:
        await self._session.delete(credential)
        await self._session.flush()
