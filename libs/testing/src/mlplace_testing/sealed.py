"""Makes something happen while the command `reseal` replaces values."""

from collections.abc import Awaitable, Callable, Collection, Sequence
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_runtime.db.sealed import Key, SealedColumn, SealedValue


class WatchedColumn(SealedColumn[Any]):
    """A column whose locks `before` precedes and `after` follows. `locks`: how many there were."""

    def __init__(self, column: SealedColumn[Any], *, before: Callable[[], Awaitable[object]] | None = None) -> None:
        vars(self).update(vars(column))
        self._column_itself = column
        self.before = before
        self.after: Callable[[], Awaitable[object]] | None = None
        self.locks = 0

    async def lock(self, session: AsyncSession, keys: Collection[Key]) -> Sequence[SealedValue]:
        self.locks += 1
        if self.before:
            await self.before()
        found = await self._column_itself.lock(session, keys)
        if self.after:
            await self.after()
        return found

    async def replace(self, session: AsyncSession, key: Key, sealed: bytes) -> None:
        await self._column_itself.replace(session, key, sealed)
