"""What instances need of other features."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.servers.tables import Server


class ReachableGroups(Protocol):
    async def resolve(self, *, account_id: int, name: str | None) -> ResourceGroup | None:
        """Where a service of the account runs that names this group; None is the default group."""
        ...


class FreshServers(Protocol):
    async def fresh_in_group(self, *, group_id: int, since: datetime) -> Sequence[Server]:
        """Servers of the group whose agent has been heard of."""
        ...


class ServersById(Protocol):
    async def by_ids(self, server_ids: Sequence[int]) -> Mapping[int, Server]:
        """Those that still exist."""
        ...
