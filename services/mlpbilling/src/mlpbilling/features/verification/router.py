from fastapi import APIRouter, Depends

from mlpbilling.features.verification.repository import VerificationRepository
from mlpbilling.features.verification.schemas import VerificationData
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Internal

router = APIRouter(prefix="/internal/mlpbilling/ledger", dependencies=[Depends(Internal())], include_in_schema=False)


@router.get("/verification")
async def verify_ledger(session: SessionDep) -> VerificationData:
    """Recompute every balance from the postings and report what differs."""
    return VerificationData.model_validate(await VerificationRepository(session).verify())
