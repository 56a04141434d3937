from collections.abc import Collection

from accountsadmin.features.limits.repository import LimitsRepository
from mlplace_contracts.events import AccountLimitsChanged


class LimitsService:
    def __init__(self, *, repository: LimitsRepository) -> None:
        self._repository = repository

    async def store(self, *, event: AccountLimitsChanged) -> None:
        await self._repository.store(
            {
                "account_id": event.account_id,
                "features": [feature.lower() for feature in event.features],
                "predict_per_sec": event.predict_per_sec,
                "fit_per_minute": event.fit_per_minute,
                "version": event.version,
            }
        )

    async def features(self, *, account_ids: Collection[int]) -> dict[int, tuple[str, ...]]:
        """Returns the enabled features of each account in lower case; an account without any may be missing."""
        return await self._repository.features(account_ids) if account_ids else {}
