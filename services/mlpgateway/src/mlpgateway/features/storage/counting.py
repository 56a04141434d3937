"""Counts what accounts store, in the transaction in which a feature stores or deletes it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.features.storage.tables import StorageChange, StorageUse

ROW_BYTES: Final = 1024
"""The overhead of an item in bytes: its row and its index entries."""
_LOCK: Final = 0x73746F72  # namespace of advisory locks: "stor"


class Kind(StrEnum):
    PREDICTIONS = "predictions"
    ANSWERS = "answers"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class UsedStorage:
    size: int
    items: int


class StoredBytes:
    """Each change is a row of its own, so that concurrent writers do not wait for each other."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def change(self, account_id: int, kind: Kind, *, size: int, items: int = 0) -> None:
        """Adds bytes and items; negative values subtract."""
        values = {"account_id": account_id, "kind": kind.value, "bytes": size, "number": items}
        await self._session.execute(sa.insert(StorageChange).values(**values))

    async def gone(self, kind: Kind, items: Iterable[tuple[int, int]], *, counted: bool = True) -> None:
        """Subtracts deleted items, given as pairs of account and bytes. `counted`: each was counted as an item."""
        lost: dict[int, UsedStorage] = {}
        for account_id, size in items:
            before = lost.get(account_id, UsedStorage(0, 0))
            lost[account_id] = UsedStorage(before.size + size, before.items + counted)
        for account_id, use in lost.items():
            await self.change(account_id, kind, size=-use.size, items=-use.items)

    async def use(self, account_id: int) -> Mapping[Kind, UsedStorage]:
        """Returns the use of every kind, including this transaction's own changes."""
        statement = sa.select(COUNTED.c.kind, sa.func.sum(COUNTED.c.bytes), sa.func.sum(COUNTED.c.number))
        statement = statement.where(COUNTED.c.account_id == account_id).group_by(COUNTED.c.kind)
        found = {
            kind: UsedStorage(int(size), int(items)) for kind, size, items in await self._session.execute(statement)
        }
        return {kind: found.get(kind.value, UsedStorage(0, 0)) for kind in Kind}

    async def alone(self, account_id: int) -> None:
        """Locks the account's storage until the end of the transaction, so that checks of its limit are exact."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, sa.func.hashint8(account_id))))


def hours(column: "sa.SQLColumnExpression[int | None]") -> sa.ColumnElement[timedelta]:
    """Returns a column of hours as an interval; NULL stays NULL."""
    return sa.func.make_interval(0, 0, 0, 0, sa.cast(column, sa.Integer), type_=sa.Interval)


COUNTED: Final = sa.union_all(
    sa.select(StorageUse.account_id, StorageUse.kind, StorageUse.bytes, StorageUse.number),
    sa.select(StorageChange.account_id, StorageChange.kind, StorageChange.bytes, StorageChange.number),
).subquery("counted")
