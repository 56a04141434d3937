"""What servers need of other features."""

from typing import Protocol

from mlpcore.features.resource_groups.tables import ResourceGroup


class OwnedGroups(Protocol):
    async def owned(self, *, account_id: int, name: str, lock: bool = False) -> ResourceGroup | None:
        """A group of the account itself. `lock`: nobody else changes it until the transaction ends."""
        ...
