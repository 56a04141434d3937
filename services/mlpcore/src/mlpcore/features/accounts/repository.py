"""SQL of accounts."""

from collections.abc import Collection, Mapping, Sequence

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account, AccountFeature, PlatformAccount
from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.names import PathRef, is_account_name


class AccountRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def find(self, ref: PathRef) -> Account | None:
        """Finds an account of the installation. Skips the query for a name that no account can have."""
        if ref.id is not None:
            return await self._session.get(Account, ref.id)
        if ref.name is None or not is_account_name(ref.name):
            return None
        found = await self._session.scalars(sa.select(Account).where(Account.short_name == ref.name).limit(1))
        return found.first()

    async def entry(self, ref: PathRef) -> AccountEntry | None:
        account = await self.find(ref)
        return AccountEntry.model_validate(account, from_attributes=True) if account else None

    async def upsert(self, values: Mapping[str, object]) -> bool:
        """Writes the account's row unless a newer version is stored. Returns whether it wrote."""
        statement = postgresql.insert(Account).values(**values)
        changed = {name: statement.excluded[name] for name in values if name != "account_id"}
        statement = statement.on_conflict_do_update(
            index_elements=["account_id"], set_=changed, where=Account.version < statement.excluded.version
        )
        written = await self._session.execute(statement.returning(Account.account_id))
        return written.first() is not None

    async def add_placeholder(self, values: Mapping[str, object]) -> None:
        statement = postgresql.insert(Account).values(**values).on_conflict_do_nothing()
        await self._session.execute(statement)

    async def language(self, account_id: int) -> str:
        """Returns the platform's override, else the account's own language, else EN."""
        statement = (
            sa.select(sa.func.coalesce(PlatformAccount.language, Account.language))
            .select_from(Account)
            .outerjoin(PlatformAccount, PlatformAccount.account_id == Account.account_id)
            .where(Account.account_id == account_id)
        )
        return await self._session.scalar(statement) or "EN"

    async def time_zone(self, account_id: int) -> str | None:
        return await self._session.scalar(
            sa.select(PlatformAccount.time_zone).where(PlatformAccount.account_id == account_id)
        )

    async def platform(self, account_id: int, *, lock: bool = False) -> PlatformAccount | None:
        if lock:
            await self._session.flush()  # the refresh would overwrite unflushed changes of this transaction
        return await self._session.get(PlatformAccount, account_id, with_for_update=lock, populate_existing=lock)

    async def platforms(self, account_ids: Collection[int]) -> Mapping[int, PlatformAccount]:
        """Returns the rows that exist."""
        statement = sa.select(PlatformAccount).where(PlatformAccount.account_id.in_(account_ids))
        return {row.account_id: row for row in (await self._session.scalars(statement)).all()}

    async def lock_free_platforms(self, account_ids: Collection[int]) -> Mapping[int, PlatformAccount]:
        """Locks and returns the rows that exist and that nobody else has locked."""
        await self._session.flush()  # the refresh would overwrite unflushed changes of this transaction
        statement = sa.select(PlatformAccount).where(PlatformAccount.account_id.in_(account_ids))
        locked = statement.order_by(PlatformAccount.account_id).with_for_update(skip_locked=True)
        rows = (await self._session.scalars(locked.execution_options(populate_existing=True))).all()
        return {row.account_id: row for row in rows}

    async def add_platform(self, values: Mapping[str, object]) -> bool:
        """Returns False when the row existed."""
        statement = postgresql.insert(PlatformAccount).values(**values).on_conflict_do_nothing()
        made = await self._session.execute(statement.returning(PlatformAccount.account_id))
        return made.first() is not None

    async def search(
        self, *, name: str | None, limit: int, skip: int
    ) -> Sequence[tuple[Account, PlatformAccount | None]]:
        """Returns the accounts whose id equals the text, or whose name, display name or e-mail contains it, by id."""
        statement = (
            sa.select(Account, PlatformAccount)
            .outerjoin(PlatformAccount, PlatformAccount.account_id == Account.account_id)
            .order_by(Account.account_id)
            .limit(limit)
            .offset(skip)
        )
        if name:
            columns = (Account.short_name, Account.display_name, Account.email)
            matches = [column.icontains(name, autoescape=True) for column in columns]
            matches.append(sa.cast(Account.account_id, sa.Text) == name)
            statement = statement.where(sa.or_(*matches))
        rows = (await self._session.execute(statement)).all()
        return [(row[0], row[1]) for row in rows]

    async def enabled_features(self, account_id: int) -> tuple[str, ...]:
        statement = sa.select(AccountFeature.name).where(
            AccountFeature.account_id == account_id, AccountFeature.enabled.is_(True)
        )
        return tuple(sorted((await self._session.scalars(statement)).all()))

    async def set_features(self, account_id: int, features: Mapping[str, bool]) -> None:
        if not features:
            return
        rows = [{"account_id": account_id, "name": name, "enabled": on} for name, on in features.items()]
        statement = postgresql.insert(AccountFeature).values(rows)
        await self._session.execute(
            statement.on_conflict_do_update(
                index_elements=["account_id", "name"], set_={"enabled": statement.excluded.enabled}
            )
        )

    async def all_limits(self) -> Sequence[tuple[PlatformAccount, tuple[str, ...]]]:
        """Returns every platform account with its enabled features."""
        features = (
            sa.select(sa.func.array_agg(AccountFeature.name))
            .where(AccountFeature.account_id == PlatformAccount.account_id, AccountFeature.enabled.is_(True))
            .scalar_subquery()
        )
        rows = (await self._session.execute(sa.select(PlatformAccount, features))).all()
        return [(row[0], tuple(sorted(row[1] or ()))) for row in rows]
