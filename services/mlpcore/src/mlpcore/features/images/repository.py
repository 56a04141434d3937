"""SQL of images that instances run."""

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.images.kind_sql import ImageKindRepository
from mlpcore.features.images.tables import Image


class ImageRepository(ImageKindRepository[Image]):
    def __init__(self, session: AsyncSession) -> None:
        super().__init__(session, Image, one="an image", sorts={})

    async def usable(self, *, account_id: int, image_id: int) -> Image | None:
        """Returns an image that the account may use for models, locked against deletion until the transaction ends."""
        usable = sa.or_(Image.account_id == account_id, Image.access_mode != "private")
        statement = sa.select(Image).where(Image.image_id == image_id, usable).with_for_update(read=True)
        return (await self._session.scalars(statement)).first()
