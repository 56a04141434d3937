from typing import Annotated

from fastapi import Depends, Query

from mlpbilling.features.directory.repository import DirectoryRepository
from mlpbilling.features.usage.periods import ReportPeriod, TimeSpan, span_of
from mlpbilling.features.usage.repository import UsageRepository
from mlpbilling.features.usage.service import UsageReports
from mlpbilling.state import StateDep
from mlplace_runtime.web.dependencies import ClockDep, SessionDep


def usage_reports(session: SessionDep, state: StateDep) -> UsageReports:
    return UsageReports(UsageRepository(session), DirectoryRepository(session), state.settings.currency)


UsageReportsDep = Annotated[UsageReports, Depends(usage_reports)]


def _span(
    clock: ClockDep,
    period: ReportPeriod = ReportPeriod.MONTH,
    date: Annotated[str | None, Query(max_length=40, description="ISO 8601 date or time; now by default")] = None,
) -> TimeSpan:
    return span_of(period, date, clock.now())


SpanDep = Annotated[TimeSpan, Depends(_span)]
