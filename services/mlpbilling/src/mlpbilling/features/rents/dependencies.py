from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.ledger.dependencies import ledger_of
from mlpbilling.features.rents.reports import HostingReports
from mlpbilling.features.rents.repository import RentRepository
from mlpbilling.features.rents.service import RentService
from mlpbilling.state import BillingState, StateDep
from mlplace_runtime.web.dependencies import SessionDep


def rents_of(session: AsyncSession, state: BillingState) -> RentService:
    return RentService(
        ledger_of(session, state.clock),
        RentRepository(session),
        state.clock,
        commission_basis_points=state.settings.commission_basis_points,
    )


def hosting_reports(session: SessionDep, state: StateDep) -> HostingReports:
    return HostingReports(RentRepository(session), state.settings.currency)


HostingReportsDep = Annotated[HostingReports, Depends(hosting_reports)]
