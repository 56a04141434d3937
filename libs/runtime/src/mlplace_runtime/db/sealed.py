"""Columns of values that are sealed with the installation's key (`mlplace_runtime.secrets`)."""

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Generic, TypeAlias, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute, load_only

from mlplace_runtime.secrets import UnreadableSecretError, Vault

_Row = TypeVar("_Row")
Key: TypeAlias = int | uuid.UUID
KeyColumn: TypeAlias = InstrumentedAttribute[int] | InstrumentedAttribute[uuid.UUID]
BytesColumn: TypeAlias = InstrumentedAttribute[bytes] | InstrumentedAttribute[bytes | None]


@dataclass(frozen=True, slots=True)
class SealedValue:
    """`is_used` is False for a value of a deleted object, which nothing reads any more."""

    key: Key
    account_id: int
    sealed: bytes
    purpose: str
    is_used: bool


class SealedColumn(Generic[_Row]):
    """A column of sealed values in a table of objects of accounts. A feature declares one for each of its columns.

    Methods never commit.
    """

    def __init__(
        self,
        kind: str,
        table: type[_Row],
        *,
        key: KeyColumn,
        sealed: BytesColumn,
        purpose: str,
        unused: sa.ColumnElement[bool] | None = None,
        at_once: int = 100,
    ) -> None:
        """`kind`: what the values are, in the plural, for people. `key` is unique.

        `purpose` binds a value to its row: it names columns of the row in braces. `unused` selects values of deleted
        objects. `at_once`: values that `reseal` replaces in one transaction.
        """
        self.kind = kind
        self.at_once = at_once
        self._table = table
        self._key = key
        self._sealed = sealed
        self._purpose = purpose
        self._names = [name for _, name, _, _ in Formatter().parse(purpose) if name]
        self._reads = [key, sealed, *(getattr(table, name) for name in {*self._names, "account_id"})]
        self._unused = sa.false() if unused is None else unused

    @property
    def column(self) -> tuple[str, str]:
        """The names of the table and of the column."""
        column = sa.inspect(self._table).columns[self._sealed.key]
        return str(column.table), column.name

    def seal(self, secret: str, vault: Vault, **columns: object) -> bytes:
        """Seals the value of a row with these columns: those that `purpose` names."""
        return vault.seal(secret, purpose=self._purpose.format(**columns))

    def open(self, sealed: bytes, vault: Vault, **columns: object) -> str:
        """Raises UnreadableSecretError."""
        return vault.open(sealed, purpose=self._purpose.format(**columns))

    def write(self, row: _Row, secret: str, vault: Vault) -> None:
        setattr(row, self._sealed.key, vault.seal(secret, purpose=self._purpose_of(row)))

    def read(self, row: _Row, vault: Vault) -> str:
        """Raises UnreadableSecretError."""
        return vault.open(getattr(row, self._sealed.key), purpose=self._purpose_of(row))

    def renew(self, row: _Row, vault: Vault) -> None:
        """Seals a copied value with the present key: the row that it came from may be sealed again meanwhile."""
        copied: bytes | None = getattr(row, self._sealed.key)
        try:
            renewed = vault.reseal(copied, purpose=self._purpose_of(row)) if copied else copied
        except UnreadableSecretError:
            return
        setattr(row, self._sealed.key, renewed)

    async def page(self, session: AsyncSession, *, after: Key | None) -> Sequence[SealedValue]:
        """Returns `at_once` values of all accounts in the order of their keys, without locks."""
        statement = self._select() if after is None else self._select().where(self._key > after)
        return await self._values(session, statement.limit(self.at_once))

    async def lock(self, session: AsyncSession, keys: Collection[Key]) -> Sequence[SealedValue]:
        """Locks these values and returns them as they are now. Skips those that another transaction has locked."""
        statement = self._select().where(self._key.in_(keys))
        # Not the stronger lock, for which inserts of rows that refer to this one would have to wait.
        return await self._values(session, statement.with_for_update(key_share=True, skip_locked=True))

    async def existing(self, session: AsyncSession, keys: Collection[Key]) -> set[Key]:
        """Returns the keys of those values that exist, locked or not."""
        statement = sa.select(self._key).where(self._key.in_(keys), self._sealed.is_not(None))
        return set((await session.scalars(statement)).all())

    async def replace(self, session: AsyncSession, key: Key, sealed: bytes) -> None:
        """Stores the value of a locked row sealed anew."""
        statement = sa.update(self._table).where(self._key == key).values({self._sealed.key: sealed})
        await session.execute(statement, execution_options={"synchronize_session": False})

    def _purpose_of(self, row: _Row) -> str:
        return self._purpose.format(**{name: getattr(row, name) for name in self._names})

    def _select(self) -> sa.Select[_Row, bool]:
        columns = load_only(*self._reads)
        return (
            sa.select(self._table, self._unused).options(columns).where(self._sealed.is_not(None)).order_by(self._key)
        )

    async def _values(self, session: AsyncSession, statement: sa.Select[_Row, bool]) -> Sequence[SealedValue]:
        rows = (await session.execute(statement)).all()
        return [
            SealedValue(
                key=getattr(row, self._key.key),
                account_id=getattr(row, "account_id"),  # noqa: B009  every table has it, and no type says so
                sealed=getattr(row, self._sealed.key),
                purpose=self._purpose_of(row),
                is_used=not unused,
            )
            for row, unused in rows
        ]
