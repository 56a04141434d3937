from typing import Annotated

from fastapi import APIRouter, Depends

from mlpbilling.features.usage.dependencies import SpanDep, UsageReportsDep
from mlpbilling.features.usage.repository import UsageSide
from mlpbilling.features.usage.schemas import BillingDetails, CallOrigins, IncomeByModelRow, IncomeByPayerRow
from mlplace_contracts.enums import KeyPermission
from mlplace_contracts.internal.billing import KeySpending, KeySpendingRequest
from mlplace_runtime.web.policy import Access, Internal, MemberById

router = APIRouter(prefix="/api/mlpbilling/account/{accountId}", tags=["reports"])
internal_router = APIRouter(
    prefix="/internal/mlpbilling/usage", dependencies=[Depends(Internal())], include_in_schema=False
)
AccessDep = Annotated[Access, Depends(MemberById(KeyPermission.READ))]


@internal_router.post("/key-spending")
async def get_key_spending(body: KeySpendingRequest, reports: UsageReportsDep) -> KeySpending:
    """Returns the recorded spending of a key, for gates that have lost their shared count."""
    return await reports.key_spending(request=body)


@router.get("/details/income")
async def get_income_details(access: AccessDep, span: SpanDep, reports: UsageReportsDep) -> BillingDetails:
    """Reports what others paid for the account's models, after commission, by hour, day or month."""
    return await reports.details(account_id=access.account.account_id, side=UsageSide.INCOME, span=span)


@router.get("/details/spending")
async def get_spending_details(access: AccessDep, span: SpanDep, reports: UsageReportsDep) -> BillingDetails:
    """Reports what the account paid for others' models, by hour, day or month."""
    return await reports.details(account_id=access.account.account_id, side=UsageSide.SPENDING, span=span)


@router.get("/report/income/models")
async def get_income_by_model(access: AccessDep, span: SpanDep, reports: UsageReportsDep) -> list[IncomeByModelRow]:
    return await reports.income_by_model(account_id=access.account.account_id, span=span)


@router.get("/report/income/payers")
async def get_income_by_payer(access: AccessDep, span: SpanDep, reports: UsageReportsDep) -> list[IncomeByPayerRow]:
    return await reports.income_by_payer(account_id=access.account.account_id, span=span)


@router.get("/call-origins")
async def get_call_origins(access: AccessDep, reports: UsageReportsDep) -> CallOrigins:
    """Says when the account last called a service in the browser and with a key, among its newest 1000 calls."""
    return await reports.origins(account_id=access.account.account_id)
