from datetime import datetime
from typing import Literal

from mlpcore.features.stat_logs.codes import LogCode
from mlpcore.features.stat_logs.repository import StatLogRepository
from mlpcore.features.stat_logs.schemas import StatLogData, stat_log_data
from mlpcore.features.stat_logs.tables import StatLog

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
        model_id: int,
        at: datetime,
        message: str,
        level: Literal["INFO", "WARNING", "ERROR"] = "INFO",
        args: dict[str, object] | None = None,
        node: str | None = None,
    ) -> None:
        """Writes an entry in the caller's transaction."""
        entry = StatLog(
            account_id=account_id,
            model_id=model_id,
            at=at,
            level=level,
            code=code.value,
            args=args or {},
            message=message,
            node=node,
        )
        self._repository.add(entry)

    async def of_model(self, *, account_id: int, model_id: int) -> list[StatLogData]:
        """Returns the newest 1,000 entries, the newest first."""
        found = await self._repository.of_model(account_id=account_id, model_id=model_id, limit=_SHOWN)
        return [stat_log_data(entry) for entry in found]
