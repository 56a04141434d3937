from typing import Protocol


class ImageUsers(Protocol):
    async def users_of(self, image_id: int) -> int:
        """How many live models are built from the image, in any account."""
        ...
