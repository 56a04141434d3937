from typing import Annotated

from fastapi import APIRouter, Depends

from mlpbilling.building import ledger_of
from mlpbilling.features.balances.schemas import BalanceData, BalanceShortData
from mlpbilling.features.balances.service import BalanceReader
from mlpbilling.state import StateDep
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Access, MemberById

router = APIRouter(prefix="/api/mlpbilling/account/{accountId}", tags=["balance"])
AccessDep = Annotated[Access, Depends(MemberById(KeyPermission.READ))]


def _reader(session: SessionDep, state: StateDep) -> BalanceReader:
    return BalanceReader(ledger_of(session, state.clock), state.settings.currency)


ReaderDep = Annotated[BalanceReader, Depends(_reader)]


@router.get("/blocked")
async def get_blocked(access: AccessDep, reader: ReaderDep) -> bool:
    return await reader.blocked(account_id=access.account.account_id)


@router.get("/balance")
async def get_balance(access: AccessDep, reader: ReaderDep) -> BalanceData:
    return await reader.full(account_id=access.account.account_id)


@router.get("/balance/short")
async def get_short_balance(access: AccessDep, reader: ReaderDep) -> BalanceShortData:
    return await reader.short(account_id=access.account.account_id)
