"""SQL of the images of each kind."""

from collections.abc import Mapping, Sequence
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.images.schemas import Belonging
from mlpcore.features.images.tables import ImageColumns
from mlpcore.unique_names import unique_name
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.pagination import PageRequest
from mlplace_kit.violations import broken

Row = TypeVar("Row", bound=ImageColumns)
_LOCK = 0x696D_6167
_MODE_OF = {
    Belonging.MINE_PUBLIC: "public",
    Belonging.MINE_RESTRICTED: "restricted",
    Belonging.MINE_PRIVATE: "private",
}


class ImageKindRepository(Generic[Row]):
    """SQL of the images of one kind."""

    def __init__(self, session: AsyncSession, table: type[Row], *, one: str, sorts: Mapping[str, Any]) -> None:
        """`one`: an image of this kind, in a sentence. `sorts`: columns besides the common ones, by field."""
        self._session = session
        self._table = table
        self._one = one
        self._sorts = sorts

    async def hold(self, account_id: int) -> int:
        """Lets one transaction at a time, of all processes, add images to the account. Returns how many it has."""
        await self._session.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK, sa.func.hashint8(account_id))))
        counted = sa.select(sa.func.count()).select_from(self._table).where(self._table.account_id == account_id)
        return await self._session.scalar(counted) or 0

    async def add(self, image: Row) -> Row:
        """Raises NameAlreadyExists."""
        self._session.add(image)
        await self.flush(image)
        return image

    async def flush(self, image: Row) -> None:
        """Raises NameAlreadyExists when the account has another image of this kind and name."""
        with unique_name(self._one, image.name):
            await self._session.flush()

    async def owned(self, *, account_id: int, image_id: int, lock: bool = False) -> Row | None:
        table = self._table
        statement = sa.select(table).where(table.account_id == account_id, table.image_id == image_id)
        return (await self._session.scalars(statement.with_for_update() if lock else statement)).first()

    async def account_name(self, account_id: int) -> str | None:
        return await self._session.scalar(sa.select(Account.short_name).where(Account.account_id == account_id))

    async def delete(self, image: Row) -> None:
        await self._session.delete(image)

    async def page(
        self, *, account_id: int, name: str | None, belonging: Belonging, page: PageRequest
    ) -> tuple[Sequence[tuple[Row, str | None]], int]:
        """Returns a page of images with the short names of their accounts, and the total count."""
        table, sorts = self._table, self._sorts_for(account_id)
        if page.sort_field not in sorts:
            raise ValidationFailed({"sort": broken("sort", allowed=", ".join(sorts))})
        wanted = self._belonging(account_id, belonging)
        if name:
            wanted = sa.and_(wanted, table.name.icontains(name, autoescape=True))
        total = await self._session.scalar(sa.select(sa.func.count()).select_from(table).where(wanted))
        column = sorts[page.sort_field]
        statement = (
            sa.select(table, Account.short_name)
            .outerjoin(Account, Account.account_id == table.account_id)
            .where(wanted)
            .order_by(column.desc() if page.descending else column.asc(), table.image_id.desc())
            .limit(page.size)
            .offset(page.offset)
        )
        rows = (await self._session.execute(statement)).all()
        return [(row[0], row[1]) for row in rows], total or 0

    def _sorts_for(self, account_id: int) -> Mapping[str, Any]:
        table = self._table
        seen = sa.or_(table.account_id == account_id, table.access_mode == "public")
        return {
            "id": table.image_id,
            "name": table.name,
            "image": sa.case((seen, table.image), else_=""),  # a place in the list must not tell a hidden address
            "accessMode": table.access_mode,
            "imageAccountName": Account.short_name,
            **self._sorts,
        }

    def _belonging(self, account_id: int, belonging: Belonging) -> sa.ColumnElement[bool]:
        table = self._table
        mine, shared = table.account_id == account_id, table.access_mode != "private"
        match belonging:
            case Belonging.ALL:
                return sa.or_(mine, shared)
            case Belonging.MINE:
                return mine
            case Belonging.NOT_MINE:
                return sa.and_(table.account_id != account_id, shared)
            case _:
                return sa.and_(mine, table.access_mode == _MODE_OF[belonging])
