"""The time zone of an account: the one it chose, else that of the installation."""

from zoneinfo import ZoneInfo

from mlpcore.features.accounts.repository import AccountRepository


class TimeZones:
    def __init__(self, repository: AccountRepository, default: ZoneInfo) -> None:
        self._repository = repository
        self._default = default

    async def chosen(self, account_id: int) -> str | None:
        """Returns the name of the zone that the account chose; None for that of the installation."""
        return await self._repository.time_zone(account_id)

    async def of(self, account_id: int) -> ZoneInfo:
        chosen = await self.chosen(account_id)
        return self._default if chosen is None else ZoneInfo(chosen)
