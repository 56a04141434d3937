"""The interface of images that models use."""

from typing import Protocol

from mlpcore.features.images.tables import Image


class UsableImages(Protocol):
    async def usable(self, *, account_id: int, image_id: int) -> Image | None:
        """Returns an image that the account may use for models, locked against deletion until the transaction ends."""
        ...
