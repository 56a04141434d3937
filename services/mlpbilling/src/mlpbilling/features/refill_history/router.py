from typing import Annotated

from fastapi import APIRouter, Depends

from mlpbilling.features.refill_history.dependencies import RefillHistoryDep
from mlpbilling.features.refills.schemas import RefillHistoryRow
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.policy import Access, MemberById

router = APIRouter(prefix="/api/mlpbilling/account/{accountId}", tags=["refill"])


@router.get("/refill/history")
async def get_refill_history(
    access: Annotated[Access, Depends(MemberById(KeyPermission.READ))], history: RefillHistoryDep
) -> list[RefillHistoryRow]:
    """Returns up to 1000 rows, newest first. `status` is DONE, or PENDING, FAILED or EXPIRED for a card payment."""
    return await history.of(account_id=access.account.account_id)
