import uuid
from typing import Annotated

from fastapi import APIRouter, Depends

from mlpbilling.building import reservations_of
from mlpbilling.features.reservations.service import ReservationService
from mlpbilling.state import StateDep
from mlplace_contracts.internal.billing import ReleaseRequest, Reservation, ReserveRequest
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Internal

router = APIRouter(
    prefix="/internal/mlpbilling/reservations", dependencies=[Depends(Internal())], include_in_schema=False
)


def _service(session: SessionDep, state: StateDep) -> ReservationService:
    return reservations_of(session, state)


ServiceDep = Annotated[ReservationService, Depends(_service)]


@router.post("")
async def reserve(body: ReserveRequest, service: ServiceDep) -> Reservation:
    return await service.reserve(request=body)


@router.post("/{reservation_id}/release")
async def release_reservation(reservation_id: uuid.UUID, body: ReleaseRequest, service: ServiceDep) -> Reservation:
    """Answers with what is still held for usage on its way."""
    return await service.release(reservation_id=reservation_id, request=body)
