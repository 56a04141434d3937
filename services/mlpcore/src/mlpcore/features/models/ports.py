"""What models need of images and resource groups."""

from typing import Literal, Protocol

from mlpcore.features.images.tables import Image
from mlpcore.features.resource_groups.tables import ResourceGroup


class UsableImages(Protocol):
    async def usable(self, *, account_id: int, image_id: int) -> Image | None:
        """Returns an image that the account may use for models, locked against deletion until the transaction ends."""
        ...


class UsableGroups(Protocol):
    """A group that is returned is neither deleted nor renamed before the transaction ends."""

    async def meant(self, *, account_id: int, name: str) -> ResourceGroup | None:
        """What the account calls by this name: its own group, else a public one."""
        ...

    async def usable(self, *, account_id: int, group_id: int, keep: Literal[True]) -> ResourceGroup | None:
        """The group, where services of the account may run in it."""
        ...
