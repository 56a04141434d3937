"""The interfaces of images, data images, datasets, resource groups and accounts that models use."""

from collections.abc import Collection, Mapping
from typing import Literal, Protocol
from zoneinfo import ZoneInfo

from mlpcore.features.data_images.tables import DataImage
from mlpcore.features.datasets.tables import Dataset
from mlpcore.features.images.tables import Image
from mlpcore.features.resource_groups.tables import ResourceGroup


class UsableImages(Protocol):
    async def usable(self, *, account_id: int, image_id: int) -> Image | None:
        """Returns an image that the account may use for models, locked against deletion until the transaction ends."""
        ...


class MountableDataImages(Protocol):
    async def mountable(
        self, *, account_id: int, image_ids: Collection[int], kept: Collection[int]
    ) -> Mapping[int, DataImage]:
        """Returns, by id, those data images that models of the account may mount, and those of `kept` that exist.

        They are locked against deletion until the transaction ends.
        """
        ...


class KnownDataImages(Protocol):
    async def of_ids(self, ids: Collection[int]) -> Mapping[int, DataImage]:
        """Returns data images by id."""
        ...


class UsableDatasets(Protocol):
    async def usable(self, *, account_id: int, dataset_id: int) -> Dataset | None:
        """Returns a dataset with which the account may train, locked against deletion until the transaction ends."""
        ...


class UsableGroups(Protocol):
    """A returned group cannot be deleted or renamed before the transaction ends."""

    async def by_name(self, *, account_id: int, name: str) -> ResourceGroup | None:
        """Returns the account's own group of this name, else a public one."""
        ...

    async def usable(self, *, account_id: int, group_id: int, keep: Literal[True]) -> ResourceGroup | None:
        """Returns the group if models of the account may run in it."""
        ...


class AccountZones(Protocol):
    async def chosen(self, account_id: int) -> str | None:
        """Returns the name of the zone that the account chose; None for that of the installation."""
        ...

    async def of(self, account_id: int) -> ZoneInfo:
        """Returns the time zone of the account's schedules."""
        ...
