"""All SQL on what accounts store. Others count here in the transaction in which they store or delete."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from typing import Final

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession

from mlpgateway.storage.tables import StorageChange, StorageSetting, StorageUse

ROW_BYTES: Final = 1024
"""What an item takes beside its contents: its row and its place in the indexes."""
_LOCK: Final = 0x73746F72  # of advisory locks: "stor"
_SWEEP_LOCK: Final = 0x73776570  # "swep"


class Kind(StrEnum):
    PREDICTIONS = "predictions"
    ANSWERS = "answers"
    ARCHIVE = "archive"


@dataclass(frozen=True, slots=True)
class Use:
    size: int
    items: int


class StorageRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    # ---- Counting

    async def change(self, account_id: int, kind: Kind, *, size: int, items: int = 0) -> None:
        """So many bytes and items more; fewer, if negative."""
        values = {"account_id": account_id, "kind": kind.value, "bytes": size, "number": items}
        await self._session.execute(sa.insert(StorageChange).values(**values))

    async def gone(self, kind: Kind, items: Iterable[tuple[int, int]], *, counted: bool = True) -> None:
        """Deleted items, each with its account and its bytes. `counted`: each was an item of its own."""
        lost: dict[int, Use] = {}
        for account_id, size in items:
            before = lost.get(account_id, Use(0, 0))
            lost[account_id] = Use(before.size + size, before.items + counted)
        for account_id, use in lost.items():
            await self.change(account_id, kind, size=-use.size, items=-use.items)

    async def use(self, account_id: int) -> Mapping[Kind, Use]:
        """Of every kind, this transaction's own changes included."""
        statement = sa.select(_COUNTED.c.kind, sa.func.sum(_COUNTED.c.bytes), sa.func.sum(_COUNTED.c.number))
        statement = statement.where(_COUNTED.c.account_id == account_id).group_by(_COUNTED.c.kind)
        found = {kind: Use(int(size), int(items)) for kind, size, items in await self._session.execute(statement)}
        return {kind: found.get(kind.value, Use(0, 0)) for kind in Kind}

    async def alone(self, account_id: int) -> None:
        """To the end of the transaction nobody else looks whether something of the account fits."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, sa.func.hashint8(account_id))))

    async def fold(self) -> None:
        """Add the changes up."""
        gone = sa.delete(StorageChange).returning(
            StorageChange.account_id, StorageChange.kind, StorageChange.bytes, StorageChange.number
        )
        changes = gone.cte("changes")
        sums = sa.select(
            changes.c.account_id, changes.c.kind, sa.func.sum(changes.c.bytes), sa.func.sum(changes.c.number)
        ).group_by(changes.c.account_id, changes.c.kind)
        # In one order, so that two who add up at the same time do not wait for each other's rows.
        statement = insert(StorageUse).from_select(
            ["account_id", "kind", "bytes", "number"], sums.order_by(changes.c.account_id, changes.c.kind)
        )
        added = {
            "bytes": StorageUse.bytes + statement.excluded.bytes,
            "number": StorageUse.number + statement.excluded.number,
        }
        statement = statement.on_conflict_do_update(index_elements=["account_id", "kind"], set_=added)
        await self._session.execute(statement)

    async def mend(self, real: Mapping[Kind, sa.Select[int, int, int]]) -> list[tuple[int, str, int, int]]:
        """Make the counts agree with what is stored: `real` selects account, bytes and items of each kind.

        One statement, which sees one moment: what is stored or deleted meanwhile is on both sides or on neither.
        Returns what was wrong: account, kind, and the bytes and items that were missing.
        """
        stored = sa.union_all(
            *(
                sa.select(rows.c[0].label("account_id"), sa.literal(kind.value).label("kind"), rows.c[1], rows.c[2])
                for kind, rows in ((kind, query.subquery()) for kind, query in real.items())
            ),
            sa.select(_COUNTED.c.account_id, _COUNTED.c.kind, -_COUNTED.c.bytes, -_COUNTED.c.number),
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
        """Whether this transaction is the only one that sweeps, to its end."""
        statement = sa.select(sa.func.pg_try_advisory_xact_lock(_SWEEP_LOCK))
        return bool((await self._session.execute(statement)).scalar_one())

    # ---- Settings

    async def setting(self, account_id: int) -> StorageSetting | None:
        statement = sa.select(StorageSetting).where(StorageSetting.account_id == account_id)
        return (await self._session.execute(statement)).scalar_one_or_none()

    async def set(self, account_id: int, values: Mapping[str, int | None]) -> None:
        statement = insert(StorageSetting).values(account_id=account_id, **values)
        await self._session.execute(statement.on_conflict_do_update(index_elements=["account_id"], set_=dict(values)))


def hours(column: "sa.SQLColumnExpression[int | None]") -> sa.ColumnElement[timedelta]:
    """A column of hours as an interval; null stays null."""
    return sa.func.make_interval(0, 0, 0, 0, sa.cast(column, sa.Integer), type_=sa.Interval)


_COUNTED: Final = sa.union_all(
    sa.select(StorageUse.account_id, StorageUse.kind, StorageUse.bytes, StorageUse.number),
    sa.select(StorageChange.account_id, StorageChange.kind, StorageChange.bytes, StorageChange.number),
).subquery("counted")
