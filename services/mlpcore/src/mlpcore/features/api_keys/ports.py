"""Interfaces of other features that API keys use."""

from typing import Protocol

from mlpcore.features.accounts.tables import Account
from mlpcore.features.models.tables import Model
from mlplace_kit.names import PathRef


class KeyAccounts(Protocol):
    async def find(self, ref: PathRef) -> Account | None:
        """Finds any account of the installation."""
        ...

    async def enabled_features(self, account_id: int) -> tuple[str, ...]: ...


class UsableModels(Protocol):
    async def usable(self, *, account_id: int, model_id: int) -> Model | None:
        """Returns a live model that the account may call."""
        ...
