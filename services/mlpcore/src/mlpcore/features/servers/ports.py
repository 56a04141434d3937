"""Interfaces of other features that servers use."""

from typing import Protocol

from mlpcore.features.resource_groups.tables import ResourceGroup


class OwnedGroups(Protocol):
    async def owned(self, *, account_id: int, name: str, lock: bool = False) -> ResourceGroup | None:
        """Finds a group that the account owns. `lock`: locks it until the transaction ends."""
        ...
