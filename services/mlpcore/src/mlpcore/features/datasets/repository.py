"""SQL of datasets."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy import orm
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account, PlatformAccount
from mlpcore.features.datasets.tables import Dataset
from mlpcore.unique_names import unique_name

_LOCK = 0x6461_7461


class DatasetRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def hold(self, account_id: int) -> None:
        """Lets one transaction at a time, of all processes, write the account's datasets and its bucket.

        The order of locks is: this one, rows of datasets or of the bucket, rows of models by id, limits of accounts by
        id. Writers of datasets and buckets lock no limits, and others lock datasets without this lock.
        """
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, sa.func.hashint8(account_id))))

    async def add(self, dataset: Dataset) -> None:
        """Raises NameAlreadyExists when the account has another dataset of this name."""
        self._session.add(dataset)
        await self.flush(dataset)

    async def flush(self, dataset: Dataset) -> None:
        """Raises NameAlreadyExists when the account has another dataset of this name."""
        with unique_name("a dataset", dataset.name):
            await self._session.flush()

    async def named(self, *, account_id: int, name: str) -> Dataset | None:
        statement = sa.select(Dataset).where(Dataset.account_id == account_id, Dataset.name == name)
        return (await self._session.scalars(statement)).first()

    async def owned(self, *, account_id: int, dataset_id: int, lock: bool = False) -> Dataset | None:
        statement = sa.select(Dataset).where(Dataset.account_id == account_id, Dataset.dataset_id == dataset_id)
        if lock:
            statement = statement.with_for_update().execution_options(populate_existing=True)
        return (await self._session.scalars(statement)).first()

    async def usable(self, *, account_id: int, dataset_id: int) -> Dataset | None:
        """Returns a dataset with which the account may train, locked against deletion until the transaction ends."""
        usable = sa.or_(Dataset.account_id == account_id, Dataset.access_mode != "private")
        statement = sa.select(Dataset).where(Dataset.dataset_id == dataset_id, usable).with_for_update(read=True)
        return (await self._session.scalars(statement)).first()

    async def of_account(self, account_id: int) -> Sequence[Dataset]:
        """Returns the account's datasets without their columns, the newest first."""
        statement = sa.select(Dataset).where(Dataset.account_id == account_id).order_by(Dataset.dataset_id.desc())
        brief = statement.options(orm.defer(Dataset.columns, raiseload=True))
        return (await self._session.scalars(brief)).all()

    async def usable_of_types(
        self, *, account_id: int | None, types: Sequence[str], most: int
    ) -> Sequence[tuple[Dataset, str | None]]:
        """Returns the account's datasets of these types, then shared ones, with the names of their accounts.

        Without their columns.
        """
        mine = Dataset.account_id == account_id
        statement = (
            sa.select(Dataset, Account.short_name)
            .outerjoin(Account, Account.account_id == Dataset.account_id)
            .where(Dataset.data_type.in_(types), sa.or_(mine, Dataset.access_mode != "private"))
            .order_by(mine.desc(), Dataset.dataset_id.desc())
            .options(orm.defer(Dataset.columns, raiseload=True))
            .limit(most)
        )
        return [(row[0], row[1]) for row in await self._session.execute(statement)]

    async def account_name(self, account_id: int) -> str | None:
        return await self._session.scalar(sa.select(Account.short_name).where(Account.account_id == account_id))

    async def delete(self, dataset: Dataset) -> None:
        await self._session.delete(dataset)
        await self._session.flush()

    async def storage_limit(self, account_id: int) -> str | None:
        """Returns the account's storageLimit as it is stored."""
        statement = sa.select(PlatformAccount.storage_limit).where(PlatformAccount.account_id == account_id)
        return await self._session.scalar(statement)

    async def stored(self, account_id: int) -> tuple[int, int]:
        """Returns the bytes of the account's datasets, and their number."""
        sums = sa.select(sa.func.coalesce(sa.func.sum(Dataset.size), 0), sa.func.count())
        row = (await self._session.execute(sums.where(Dataset.account_id == account_id))).one()
        return int(row[0]), int(row[1])

    async def referred(self, keys: Sequence[str]) -> frozenset[str]:
        """Returns those of the object keys to which a dataset refers."""
        statement = sa.select(Dataset.object_key).where(Dataset.object_key.in_(keys))
        return frozenset(key for key in (await self._session.scalars(statement)).all() if key)
