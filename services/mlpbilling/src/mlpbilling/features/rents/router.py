from typing import Annotated

from fastapi import APIRouter, Depends

from mlpbilling.features.rents.dependencies import HostingReportsDep
from mlpbilling.features.rents.repository import RentSide
from mlpbilling.features.rents.schemas import HostingDetails
from mlpbilling.features.usage.dependencies import SpanDep
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.policy import Access, MemberById

router = APIRouter(prefix="/api/mlpbilling/account/{accountId}", tags=["reports"])
AccessDep = Annotated[Access, Depends(MemberById(KeyPermission.READ))]


@router.get("/details/income/hosting")
async def get_hosting_income_details(access: AccessDep, span: SpanDep, reports: HostingReportsDep) -> HostingDetails:
    """Reports the rent that others paid for the account's groups, quotas and servers, after commission."""
    return await reports.details(account_id=access.account.account_id, side=RentSide.INCOME, span=span)


@router.get("/details/spending/hosting")
async def get_hosting_spending_details(access: AccessDep, span: SpanDep, reports: HostingReportsDep) -> HostingDetails:
    """Reports the rent that the account paid for others' groups, quotas and servers."""
    return await reports.details(account_id=access.account.account_id, side=RentSide.SPENDING, span=span)
