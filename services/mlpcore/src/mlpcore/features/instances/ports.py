"""Interfaces of other features that instances use."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mlpcore.features.buckets.objects import StorageAccess, StorageUser
from mlpcore.features.data_images.tables import DataImage
from mlpcore.features.models.tables import Model
from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server
from mlplace_contracts.internal.hosting import RegistryLogin


class ReachableGroups(Protocol):
    async def usable(self, *, account_id: int, group_id: int) -> ResourceGroup | None:
        """Returns the group if models of the account may run in it."""
        ...

    async def default_of(self, *, account_id: int) -> ResourceGroup | None:
        """Returns the group in which models of the account run that refer to none."""
        ...


class ServersById(Protocol):
    async def by_ids(self, server_ids: Sequence[int]) -> Mapping[int, Server]:
        """Returns the servers that still exist."""
        ...


class MountedImages(Protocol):
    async def of_ids(self, ids: Collection[int]) -> Mapping[int, DataImage]:
        """Returns data images by id."""
        ...


class StartSecrets(Protocol):
    async def of_models(self, models: Sequence[Model]) -> Mapping[int, Mapping[str, str]]:
        """Returns, by model, the variables that refer to secrets with their values."""
        ...


class StartLogins(Protocol):
    async def of_accounts(self, account_ids: Collection[int]) -> Mapping[tuple[int, str], RegistryLogin]:
        """Returns credentials of private registries by account and host."""
        ...


class StartStorage(Protocol):
    async def given(self, users: Sequence[StorageUser]) -> Mapping[int, StorageAccess]:
        """Returns, by instance, its own access to the bucket of its account; makes it for those that have none."""
        ...

    async def known(self, users: Sequence[StorageUser]) -> Mapping[int, StorageAccess]:
        """Returns, by instance, the access of those that have got one."""
        ...


class StorageCredentials(Protocol):
    async def end(self, instance_ids: Sequence[int], *, at: datetime) -> None:
        """Ends the access of the instances to buckets, in the caller's transaction."""
        ...
