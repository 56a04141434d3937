from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.stat_logs.repository import StatLogRepository
from mlpcore.features.stat_logs.service import StatLogs
from mlplace_runtime.web.dependencies import SessionDep


def stat_logs_of(session: AsyncSession) -> StatLogs:
    return StatLogs(StatLogRepository(session))


def stat_logs(session: SessionDep) -> StatLogs:
    return stat_logs_of(session)


StatLogsDep = Annotated[StatLogs, Depends(stat_logs)]
