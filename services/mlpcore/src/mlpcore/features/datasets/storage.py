"""What the storage of an account's datasets has to do with what else the account stores."""

from mlpcore.features.datasets.repository import DatasetRepository
from mlpcore.quantities import bytes_of
from mlplace_kit.errors import AccountNotFound


class DatasetStorage:
    def __init__(self, repository: DatasetRepository) -> None:
        self._repository = repository

    async def hold(self, account_id: int) -> None:
        """Lets one transaction at a time change what the account stores."""
        await self._repository.hold(account_id)

    async def limit_bytes(self, account_id: int) -> int:
        """Returns the account's storageLimit. Raises AccountNotFound."""
        limit = await self._repository.storage_limit(account_id)
        if limit is None:
            raise AccountNotFound
        return bytes_of(limit)

    async def used_bytes(self, account_id: int) -> int:
        """Returns the bytes of the account's datasets."""
        return (await self._repository.stored(account_id))[0]
