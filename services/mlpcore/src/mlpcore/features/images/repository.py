"""SQL of images."""

from collections.abc import Sequence

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.tables import Account
from mlpcore.features.images.schemas import Belonging
from mlpcore.features.images.tables import Image
from mlpcore.unique_names import unique_name
from mlplace_kit.errors import ValidationFailed
from mlplace_kit.pagination import PageRequest
from mlplace_kit.violations import broken

_SORT = {
    "id": Image.image_id,
    "name": Image.name,
    "image": Image.image,
    "accessMode": Image.access_mode,
    "imageAccountName": Account.short_name,
}
_MODE_OF = {
    Belonging.MINE_PUBLIC: "public",
    Belonging.MINE_RESTRICTED: "restricted",
    Belonging.MINE_PRIVATE: "private",
}


class ImageRepository:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def add(self, image: Image) -> Image:
        self._session.add(image)
        await self.flush(image)
        return image

    async def flush(self, image: Image) -> None:
        """Raises NameAlreadyExists when the account has another image of this name."""
        with unique_name("an image", image.name):
            await self._session.flush()

    async def owned(self, *, account_id: int, image_id: int, lock: bool = False) -> Image | None:
        statement = sa.select(Image).where(Image.account_id == account_id, Image.image_id == image_id)
        return (await self._session.scalars(statement.with_for_update() if lock else statement)).first()

    async def usable(self, *, account_id: int, image_id: int) -> Image | None:
        """Returns an image that the account may use for models, locked against deletion until the transaction ends."""
        usable = sa.or_(Image.account_id == account_id, Image.access_mode != "private")
        statement = sa.select(Image).where(Image.image_id == image_id, usable).with_for_update(read=True)
        return (await self._session.scalars(statement)).first()

    async def account_name(self, account_id: int) -> str | None:
        return await self._session.scalar(sa.select(Account.short_name).where(Account.account_id == account_id))

    async def delete(self, image: Image) -> None:
        await self._session.delete(image)

    async def page(
        self, *, account_id: int, name: str | None, belonging: Belonging, page: PageRequest
    ) -> tuple[Sequence[tuple[Image, str | None]], int]:
        """Returns a page of images with the short names of their accounts, and the total count."""
        if page.sort_field not in _SORT:
            raise ValidationFailed({"sort": broken("sort", allowed=", ".join(_SORT))})
        wanted = _belonging(account_id, belonging)
        if name:
            wanted = sa.and_(wanted, Image.name.icontains(name, autoescape=True))
        total = await self._session.scalar(sa.select(sa.func.count()).select_from(Image).where(wanted))
        column = _SORT[page.sort_field]
        statement = (
            sa.select(Image, Account.short_name)
            .outerjoin(Account, Account.account_id == Image.account_id)
            .where(wanted)
            .order_by(column.desc() if page.descending else column.asc(), Image.image_id.desc())
            .limit(page.size)
            .offset(page.offset)
        )
        rows = (await self._session.execute(statement)).all()
        return [(row[0], row[1]) for row in rows], total or 0


def _belonging(account_id: int, belonging: Belonging) -> sa.ColumnElement[bool]:
    mine, shared = Image.account_id == account_id, Image.access_mode != "private"
    match belonging:
        case Belonging.ALL:
            return sa.or_(mine, shared)
        case Belonging.MINE:
            return mine
        case Belonging.NOT_MINE:
            return sa.and_(Image.account_id != account_id, shared)
        case _:
            return sa.and_(mine, Image.access_mode == _MODE_OF[belonging])
