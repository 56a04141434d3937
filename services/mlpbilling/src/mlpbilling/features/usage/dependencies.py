from typing import Annotated

from fastapi import Depends

from mlpbilling.features.directory.repository import DirectoryRepository
from mlpbilling.features.usage.repository import UsageRepository
from mlpbilling.features.usage.service import UsageReports
from mlpbilling.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def usage_reports(session: SessionDep, state: StateDep) -> UsageReports:
    return UsageReports(UsageRepository(session), DirectoryRepository(session), state.settings.currency)


UsageReportsDep = Annotated[UsageReports, Depends(usage_reports)]
