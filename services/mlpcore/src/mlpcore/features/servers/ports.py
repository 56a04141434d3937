"""Interfaces of other features that servers use."""

from typing import Protocol

from mlpcore.features.resource_groups.tables import ResourceGroup
from mlpcore.features.server_templates.tables import ServerTemplate


class OwnedGroups(Protocol):
    async def owned(self, *, account_id: int, name: str, lock: bool = False) -> ResourceGroup | None:
        """Finds a group that the account owns. `lock`: locks it until the transaction ends."""
        ...


class UsableTemplates(Protocol):
    async def usable(self, *, account_id: int, template_id: int, kind: str | None = None) -> ServerTemplate | None:
        """Finds a template of the account, or a public one. `kind`: for groups of this type."""
        ...
