"""The interfaces of images and resource groups that models use."""

from typing import Literal, Protocol

from mlpcore.features.images.tables import Image
from mlpcore.features.resource_groups.tables import ResourceGroup


class UsableImages(Protocol):
    async def usable(self, *, account_id: int, image_id: int) -> Image | None:
        """Returns an image that the account may use for models, locked against deletion until the transaction ends."""
        ...


class UsableGroups(Protocol):
    """A returned group cannot be deleted or renamed before the transaction ends."""

    async def meant(self, *, account_id: int, name: str) -> ResourceGroup | None:
        """Returns the account's own group of this name, else a public one."""
        ...

    async def usable(self, *, account_id: int, group_id: int, keep: Literal[True]) -> ResourceGroup | None:
        """Returns the group if models of the account may run in it."""
        ...
