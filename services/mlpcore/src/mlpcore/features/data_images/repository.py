"""SQL of data images."""

from collections.abc import Collection, Mapping

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.data_images.tables import DataImage
from mlpcore.features.images.kind_sql import ImageKindRepository


class DataImageRepository(ImageKindRepository[DataImage]):
    def __init__(self, session: AsyncSession) -> None:
        super().__init__(session, DataImage, one="a data image", sorts={"sourcePath": DataImage.source_path})

    async def mountable(
        self, *, account_id: int, image_ids: Collection[int], kept: Collection[int]
    ) -> Mapping[int, DataImage]:
        """Returns, by id, those data images that models of the account may mount, and those of `kept` that exist.

        They are locked against deletion until the transaction ends.
        """
        if not image_ids:
            return {}
        usable = sa.or_(
            DataImage.account_id == account_id, DataImage.access_mode != "private", DataImage.image_id.in_(kept)
        )
        wanted = sa.select(DataImage).where(DataImage.image_id.in_(image_ids), usable)
        found = await self._session.scalars(wanted.order_by(DataImage.image_id).with_for_update(read=True))
        return {image.image_id: image for image in found}

    async def of_ids(self, ids: Collection[int]) -> Mapping[int, DataImage]:
        """Returns data images by id."""
        if not ids:
            return {}
        found = await self._session.scalars(sa.select(DataImage).where(DataImage.image_id.in_(ids)))
        return {image.image_id: image for image in found}
