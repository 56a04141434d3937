from typing import Annotated

from fastapi import APIRouter, Depends

from mlpbilling.features.statements.dependencies import CallFilterDep, DaysDep, RentFilterDep, StatementReaderDep
from mlpbilling.features.statements.movements import Direction, Split
from mlpbilling.features.statements.schemas import BalanceForecast, CallPage, RentPage, Statement
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, MemberById

router = APIRouter(prefix="/api/mlpbilling/account/{accountId}", tags=["reports"])
AccessDep = Annotated[Access, Depends(MemberById(KeyPermission.READ))]


@router.get("/statement")
async def get_statement(
    access: AccessDep,
    days: DaysDep,
    reader: StatementReaderDep,
    direction: Direction = Direction.SPENDING,
    split: Split = Split.SERVICE,
) -> Statement:
    """Reports exact amounts by day (UTC) and service or payer, calls and rents together, and the balance's change."""
    return await reader.statement(account_id=access.account.account_id, direction=direction, split=split, days=days)


@router.get("/statement/calls")
async def list_statement_calls(
    access: AccessDep,
    days: DaysDep,
    wanted: CallFilterDep,
    page: PageDep,
    reader: StatementReaderDep,
    direction: Direction = Direction.SPENDING,
) -> CallPage:
    """Lists the calls behind a statement, newest first. `sort` has no effect."""
    return await reader.calls(
        account_id=access.account.account_id, direction=direction, days=days, wanted=wanted, page=page
    )


@router.get("/statement/rents")
async def list_statement_rents(
    access: AccessDep,
    days: DaysDep,
    wanted: RentFilterDep,
    page: PageDep,
    reader: StatementReaderDep,
    direction: Direction = Direction.SPENDING,
) -> RentPage:
    """Lists the rents behind a statement, newest first. `sort` has no effect."""
    return await reader.rents(
        account_id=access.account.account_id, direction=direction, days=days, wanted=wanted, page=page
    )


@router.get("/balance/forecast")
async def get_balance_forecast(access: AccessDep, reader: StatementReaderDep) -> BalanceForecast:
    """Estimates how many days the balance lasts, from the spending of the last seven days."""
    return await reader.forecast(account_id=access.account.account_id)
