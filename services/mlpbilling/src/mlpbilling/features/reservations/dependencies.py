from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpbilling.features.ledger.dependencies import ledger_of
from mlpbilling.features.reservations.repository import ReservationRepository
from mlpbilling.features.reservations.service import ReservationService
from mlpbilling.state import BillingState, StateDep
from mlplace_runtime.web.dependencies import SessionDep


def reservations_of(session: AsyncSession, state: BillingState) -> ReservationService:
    ledger = ledger_of(session, state.clock)
    return ReservationService(ledger, ReservationRepository(session), state.settings, state.clock)


def reservation_service(session: SessionDep, state: StateDep) -> ReservationService:
    return reservations_of(session, state)


ReservationServiceDep = Annotated[ReservationService, Depends(reservation_service)]
