"""All SQL on the sums of stored data, and on how long accounts keep it."""

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.features.storage.counting import COUNTED, Kind
from mlpgateway.features.storage.tables import StorageChange, StorageSetting, StorageUse

_MAINTENANCE_LOCK: Final = 0x73776570  # namespace of advisory locks: "swep", for the lock of earlier gates


class StorageRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def fold(self) -> None:
        """Adds the changes to the sums."""
        gone = sa.delete(StorageChange).returning(
            StorageChange.account_id, StorageChange.kind, StorageChange.bytes, StorageChange.number
        )
        changes = gone.cte("changes")
        sums = sa.select(
            changes.c.account_id, changes.c.kind, sa.func.sum(changes.c.bytes), sa.func.sum(changes.c.number)
        ).group_by(changes.c.account_id, changes.c.kind)
        # In a fixed order, so that two gates do not deadlock.
        statement = insert(StorageUse).from_select(
            ["account_id", "kind", "bytes", "number"], sums.order_by(changes.c.account_id, changes.c.kind)
        )
        added = {
            "bytes": StorageUse.bytes + statement.excluded.bytes,
            "number": StorageUse.number + statement.excluded.number,
        }
        statement = statement.on_conflict_do_update(index_elements=["account_id", "kind"], set_=added)
        await self._session.execute(statement)

    async def correct(self, real: Mapping[Kind, sa.Select[int, int, int]]) -> list[tuple[int, str, int, int]]:
        """Corrects the counts by what is really stored. `real` selects account, bytes and items of each kind.

        It is one statement and sees one moment, so that concurrent changes are on both sides or on neither. Returns
        the differences: account, kind, and the missing bytes and items.
        """
        stored = sa.union_all(
            *(
                sa.select(rows.c[0].label("account_id"), sa.literal(kind.value).label("kind"), rows.c[1], rows.c[2])
                for kind, rows in ((kind, query.subquery()) for kind, query in real.items())
            ),
            sa.select(COUNTED.c.account_id, COUNTED.c.kind, -COUNTED.c.bytes, -COUNTED.c.number),
        ).subquery()
        size, items = sa.func.sum(stored.c[2]), sa.func.sum(stored.c[3])
        wrong = sa.select(stored.c.account_id, stored.c.kind, size, items).group_by(stored.c.account_id, stored.c.kind)
        wrong = wrong.having(sa.or_(size != 0, items != 0))
        statement = insert(StorageChange).from_select(["account_id", "kind", "bytes", "number"], wrong)
        returned = statement.returning(
            StorageChange.account_id, StorageChange.kind, StorageChange.bytes, StorageChange.number
        )
        return [(row[0], row[1], row[2], row[3]) for row in await self._session.execute(returned)]

    async def only_one(self) -> bool:
        """Returns whether this transaction got the maintenance lock, which it then holds until its end."""
        statement = sa.select(sa.func.pg_try_advisory_xact_lock(_MAINTENANCE_LOCK))
        return bool((await self._session.execute(statement)).scalar_one())

    async def setting(self, account_id: int) -> StorageSetting | None:
        statement = sa.select(StorageSetting).where(StorageSetting.account_id == account_id)
        return (await self._session.execute(statement)).scalar_one_or_none()

    async def set(self, account_id: int, values: Mapping[str, int | None]) -> None:
        statement = insert(StorageSetting).values(account_id=account_id, **values)
        await self._session.execute(statement.on_conflict_do_update(index_elements=["account_id"], set_=dict(values)))
