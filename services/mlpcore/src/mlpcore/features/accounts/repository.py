"""SQL of accounts."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account, AccountFeature
from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.names import PathRef, is_account_name


class AccountRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def find(self, ref: PathRef) -> Account | None:
        """Any account of the installation. A name that no account can have is not looked up."""
        if ref.id is not None:
            return await self._session.get(Account, ref.id)
        if ref.name is None or not is_account_name(ref.name):
            return None
        found = await self._session.scalars(sa.select(Account).where(Account.short_name == ref.name).limit(1))
        return found.first()

    async def entry(self, ref: PathRef) -> AccountEntry | None:
        account = await self.find(ref)
        if account is None:
            return None
        return AccountEntry(
            account_id=account.account_id,
            short_name=account.short_name,
            display_name=account.display_name,
            owner_user_id=account.owner_user_id,
            active=account.active,
        )

    async def enabled_features(self, account_id: int) -> tuple[str, ...]:
        statement = sa.select(AccountFeature.name).where(
            AccountFeature.account_id == account_id, AccountFeature.enabled.is_(True)
        )
        return tuple(sorted((await self._session.scalars(statement)).all()))
