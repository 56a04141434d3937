from fastapi import APIRouter, Depends

from mlpbilling.features.verification.repository import VerificationRepository
from mlpbilling.features.verification.schemas import VerificationData
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Internal, Superadmin

router = APIRouter(tags=["ledger"])
internal_router = APIRouter(
    prefix="/internal/mlpbilling/ledger", dependencies=[Depends(Internal())], include_in_schema=False
)


@router.get("/api/mlpbilling/admin/ledger/verification", dependencies=[Depends(Superadmin())])
async def check_ledger(session: SessionDep) -> VerificationData:
    """Recomputes every balance from the postings and reports differences. A full scan: not for polling."""
    return VerificationData.model_validate(await VerificationRepository(session).verify())


@internal_router.get("/verification")
async def verify_ledger(session: SessionDep) -> VerificationData:
    """Recomputes every balance from the postings and reports differences."""
    return VerificationData.model_validate(await VerificationRepository(session).verify())
