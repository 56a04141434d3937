"""Columns of values that are sealed with the installation's key (`mlplace_runtime.secrets`)."""

import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, load_only

from mlplace_runtime.secrets import Vault

_Row = TypeVar("_Row")
Key: TypeAlias = int | uuid.UUID
KeyColumn: TypeAlias = InstrumentedAttribute[int] | InstrumentedAttribute[uuid.UUID]
BytesColumn: TypeAlias = InstrumentedAttribute[bytes] | InstrumentedAttribute[bytes | None]
TextColumn: TypeAlias = InstrumentedAttribute[str] | InstrumentedAttribute[int]


@dataclass(frozen=True, slots=True)
class SealedValue:
    """`is_used` is False for a value of a deleted object, which nothing reads any more."""

    key: Key
    sealed: bytes
    purpose: str
    is_used: bool


class SealedValues(Protocol):
    """All sealed values of one kind, as the command `reseal` reads and replaces them. Methods never commit."""

    @property
    def kind(self) -> str:
        """What the values are, in the plural, for people."""
        ...

    @property
    def column(self) -> tuple[str, str]:
        """The names of the table and of the column."""
        ...

    async def batch(self, session: AsyncSession, *, after: Key | None, most: int) -> Sequence[SealedValue]:
        """Returns values of all accounts in the order of their keys, without locks."""
        ...

    async def lock(self, session: AsyncSession, keys: Collection[Key]) -> Sequence[SealedValue]:
        """Locks these values and returns them as they are now. Skips those that another transaction has locked."""
        ...

    async def replace(self, session: AsyncSession, key: Key, sealed: bytes) -> None:
        """Stores the value of a locked row sealed anew, and publishes it where events contain it."""
        ...


class SealedColumn(Generic[_Row]):
    """Writes and reads the column of a row; satisfies SealedValues. A feature declares one for each of its columns."""

    def __init__(
        self,
        kind: str,
        table: type[_Row],
        *,
        key: KeyColumn,
        sealed: BytesColumn,
        purpose: Callable[[_Row], str],
        reads: Sequence[TextColumn] = (),
        unused: sa.ColumnElement[bool] | None = None,
    ) -> None:
        """`key` is unique. `purpose` binds a value to its row; it uses `key` and the columns in `reads` alone.

        `unused` selects values of deleted objects.
        """
        self.kind = kind
        self._table = table
        self._key = key
        self._sealed = sealed
        self._purpose = purpose
        self._reads = (key, sealed, *reads)
        self._unused = sa.false() if unused is None else unused

    def write(self, row: _Row, secret: str, vault: Vault) -> None:
        setattr(row, self._sealed.key, vault.seal(secret, purpose=self._purpose(row)))

    def read(self, row: _Row, vault: Vault) -> str:
        """Raises UnreadableSecretError."""
        return vault.open(getattr(row, self._sealed.key), purpose=self._purpose(row))

    @property
    def column(self) -> tuple[str, str]:
        column = sa.inspect(self._table).columns[self._sealed.key]
        return str(column.table), column.name

    async def batch(self, session: AsyncSession, *, after: Key | None, most: int) -> Sequence[SealedValue]:
        statement = self._select() if after is None else self._select().where(self._key > after)
        return await self._values(session, statement.limit(most))

    async def lock(self, session: AsyncSession, keys: Collection[Key]) -> Sequence[SealedValue]:
        statement = self._select().where(self._key.in_(keys))
        # Not the stronger lock, for which inserts of rows that refer to this one would have to wait.
        return await self._values(session, statement.with_for_update(key_share=True, skip_locked=True))

    async def replace(self, session: AsyncSession, key: Key, sealed: bytes) -> None:
        statement = sa.update(self._table).where(self._key == key).values({self._sealed.key: sealed})
        await session.execute(statement, execution_options={"synchronize_session": False})

    def _select(self) -> sa.Select[_Row, bool]:
        columns = load_only(*self._reads)
        return (
            sa.select(self._table, self._unused).options(columns).where(self._sealed.is_not(None)).order_by(self._key)
        )

    async def _values(self, session: AsyncSession, statement: sa.Select[_Row, bool]) -> Sequence[SealedValue]:
        rows = (await session.execute(statement)).all()
        return [
            SealedValue(getattr(row, self._key.key), getattr(row, self._sealed.key), self._purpose(row), not unused)
            for row, unused in rows
        ]
