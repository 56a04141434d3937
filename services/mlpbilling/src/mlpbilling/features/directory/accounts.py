from mlpbilling.features.directory.repository import DirectoryRepository
from mlplace_contracts.internal.identity import AccountEntry
from mlplace_kit.names import PathRef
from mlplace_runtime.db.database import Database


class KnownAccounts:
    """Implements AccountDirectory with the read model of accounts."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, ref: PathRef) -> AccountEntry | None:
        async with self._database.transaction() as session:
            return await DirectoryRepository(session).account(ref)
