from mlpcore.features.accounts.repository import AccountRepository
from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.names import PathRef


class AccountsOfSession:
    """Implements AccountDirectory within the caller's transaction."""

    def __init__(self, repository: AccountRepository) -> None:
        self._repository = repository

    async def find(self, ref: PathRef) -> AccountEntry | None:
        return await self._repository.entry(ref)

    async def language(self, account_id: int) -> str:
        """Returns the language of the account's mails."""
        return await self._repository.language(account_id)
