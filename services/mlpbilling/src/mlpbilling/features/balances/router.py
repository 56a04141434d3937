from typing import Annotated

from fastapi import APIRouter, Depends

from mlpbilling.features.balances.dependencies import BalanceReaderDep
from mlpbilling.features.balances.schemas import BalanceData, BalanceShortData
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.policy import Access, MemberById

router = APIRouter(prefix="/api/mlpbilling/account/{accountId}", tags=["balance"])
AccessDep = Annotated[Access, Depends(MemberById(KeyPermission.READ))]


@router.get("/blocked")
async def get_blocked(
    access: Annotated[Access, Depends(MemberById(KeyPermission.READ, narrows=True))], reader: BalanceReaderDep
) -> bool:
    return await reader.blocked(account_id=access.account.account_id)


@router.get("/balance")
async def get_balance(access: AccessDep, reader: BalanceReaderDep) -> BalanceData:
    return await reader.full(account_id=access.account.account_id)


@router.get("/balance/short")
async def get_short_balance(access: AccessDep, reader: BalanceReaderDep) -> BalanceShortData:
    return await reader.short(account_id=access.account.account_id)
