"""SQL of the statistics log."""

from collections.abc import Sequence
from datetime import datetime
from enum import StrEnum
from typing import Literal

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.stat_logs.tables import StatLog

_SHOWN = 1000


class LogCode(StrEnum):
    INSTANCE_CREATED = "INSTANCE_CREATED"
    INSTANCE_CONNECTED = "INSTANCE_CONNECTED"
    INSTANCE_LOST = "INSTANCE_LOST"
    INSTANCE_FAILED = "INSTANCE_FAILED"
    INSTANCE_STOPPING = "INSTANCE_STOPPING"
    INSTANCE_DELETED = "INSTANCE_DELETED"
    INSTANCES_REQUESTED = "INSTANCES_REQUESTED"


class StatLogs:
    def __init__(self, session: AsyncSession) -> None:
        self._session = session

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
        """Written with the caller's transaction."""
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
        self._session.add(entry)

    async def of_model(self, *, account_id: int, model_id: int) -> Sequence[StatLog]:
        """The newest thousand, newest first."""
        mine = sa.select(StatLog).where(StatLog.account_id == account_id, StatLog.model_id == model_id)
        return (await self._session.scalars(mine.order_by(StatLog.record_id.desc()).limit(_SHOWN))).all()
