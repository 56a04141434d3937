"""Interfaces of other features that instances use."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server


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
