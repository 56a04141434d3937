import uuid

from fastapi import APIRouter, Depends

from mlpbilling.features.reservations.dependencies import ReservationServiceDep
from mlplace_contracts.internal.billing import ReleaseRequest, Reservation, ReserveRequest
from mlplace_runtime.web.policy import Internal

router = APIRouter(
    prefix="/internal/mlpbilling/reservations", dependencies=[Depends(Internal())], include_in_schema=False
)


@router.post("")
async def reserve(body: ReserveRequest, service: ReservationServiceDep) -> Reservation:
    return await service.reserve(request=body)


@router.post("/{reservation_id}/release")
async def release_reservation(
    reservation_id: uuid.UUID, body: ReleaseRequest, service: ReservationServiceDep
) -> Reservation:
    """Releases a reservation. The response is what it still holds for usage that was not charged yet."""
    return await service.release(reservation_id=reservation_id, request=body)
