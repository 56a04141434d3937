"""What refills need from other features."""

from typing import Protocol

from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.names import PathRef


class KnownAccounts(Protocol):
    async def account(self, ref: PathRef) -> AccountEntry | None:
        """Returns an account that this service has received an event of."""
        ...
