from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.entries import GroupEntries, NewEntry
from mlpcore.features.stat_logs.repository import StatLogRepository
from mlpcore.features.stat_logs.schemas import PageStatLogData, StatLogData, stat_log_data, stat_log_page
from mlpcore.features.stat_logs.tables import StatLog
from mlplace_kit.pagination import PageRequest

_SHOWN = 1000


class StatLogs:
    """The log of an account's objects. The features that own the objects write it; the account's members read it."""

    def __init__(self, repository: StatLogRepository) -> None:
        self._repository = repository

    def add(
        self,
        code: LogCode,
        *,
        account_id: int,
        at: datetime,
        message: str,
        model_id: int | None = None,
        image_id: int | None = None,
        data_image_id: int | None = None,
        dataset_id: int | None = None,
        user_id: int | None = None,
        resource_group: str | None = None,
        level: Literal["INFO", "WARNING", "ERROR"] = "INFO",
        args: dict[str, object] | None = None,
        node: str | None = None,
    ) -> None:
        """Writes an entry in the caller's transaction."""
        entry = StatLog(
            account_id=account_id,
            model_id=model_id,
            image_id=image_id,
            data_image_id=data_image_id,
            dataset_id=dataset_id,
            user_id=user_id,
            resource_group=resource_group,
            at=at,
            level=level,
            code=code.value,
            args=args or {},
            message=message,
            node=node,
        )
        self._repository.add(entry)

    async def add_all(
        self, code: LogCode, entries: Sequence[NewEntry], *, at: datetime, level: Literal["INFO", "WARNING", "ERROR"]
    ) -> None:
        """Writes entries about several models in one statement."""
        if entries:
            rows = [(each.account_id, each.model_id, each.message, each.args) for each in entries]
            await self._repository.add_all(rows, code=code.value, level=level, at=at)

    async def of_model(self, *, account_id: int, model_id: int) -> list[StatLogData]:
        """Returns the newest 1,000 entries, the newest first."""
        found = await self._repository.of_model(account_id=account_id, model_id=model_id, limit=_SHOWN)
        return [stat_log_data(entry) for entry in found]

    async def of_image(self, *, account_id: int, image_id: int) -> list[StatLogData]:
        """Returns the newest 1,000 entries, the newest first."""
        found = await self._repository.of_image(account_id=account_id, image_id=image_id, limit=_SHOWN)
        return [stat_log_data(entry) for entry in found]

    async def of_data_image(self, *, account_id: int, data_image_id: int) -> list[StatLogData]:
        """Returns the newest 1,000 entries, the newest first."""
        found = await self._repository.of_data_image(account_id=account_id, data_image_id=data_image_id, limit=_SHOWN)
        return [stat_log_data(entry) for entry in found]

    async def of_dataset(self, *, account_id: int, dataset_id: int) -> list[StatLogData]:
        """Returns the newest 1,000 entries, the newest first."""
        found = await self._repository.of_dataset(account_id=account_id, dataset_id=dataset_id, limit=_SHOWN)
        return [stat_log_data(entry) for entry in found]

    async def of_group(self, wanted: GroupEntries) -> list[StatLogData]:
        """Returns the newest 1,000 entries, the newest first."""
        return [stat_log_data(entry) for entry in await self._repository.of_group(wanted, limit=_SHOWN)]

    async def page_of_group(self, wanted: GroupEntries, page: PageRequest) -> PageStatLogData:
        """Raises ValidationFailed for an unknown field to sort by."""
        entries, total = await self._repository.page_of_group(wanted, page)
        return stat_log_page(entries, page, total)

    async def rename_group(self, *, account_id: int, old: str, new: str) -> None:
        await self._repository.rename_group(account_id=account_id, old=old, new=new)
