"""What models need of images."""

from typing import Protocol

from mlpcore.features.images.tables import Image


class UsableImages(Protocol):
    async def usable(self, *, account_id: int, image_id: int) -> Image | None:
        """An image that the account may build services from. It cannot be deleted before the transaction ends."""
        ...
