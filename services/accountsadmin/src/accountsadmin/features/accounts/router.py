from typing import Annotated

from fastapi import APIRouter, Depends

from accountsadmin.features.accounts.dependencies import AccountsDep
from accountsadmin.features.accounts.schemas import AccountBlocking, AccountDetails, AccountInput
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member, Superadmin

router = APIRouter(prefix="/api/accountsadmin/account/{account}", tags=["accounts"])

ReadDep = Annotated[Access, Depends(Member(KeyPermission.READ, keys=False))]
OwnerDep = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.OWNER, keys=False))]


@router.get("")
async def get_account(access: ReadDep, accounts: AccountsDep) -> AccountDetails:
    return await accounts.details(account_id=access.account.account_id)


@router.post("")
async def update_account(access: OwnerDep, accounts: AccountsDep, body: AccountInput) -> AccountDetails:
    return await accounts.change(account_id=access.account.account_id, wanted=body, actor=access.principal.user_id)


admin_router = APIRouter(
    prefix="/api/accountsadmin/admin/accounts/{account}", tags=["accounts"], dependencies=[Depends(Superadmin())]
)


@admin_router.post("/block")
async def block_account(access: OwnerDep, accounts: AccountsDep, body: AccountBlocking | None = None) -> AccountDetails:
    return await accounts.set_active(
        account_id=access.account.account_id,
        active=False,
        actor=access.principal.user_id,
        reason=body.reason if body else None,
    )


@admin_router.post("/unblock")
async def unblock_account(
    access: OwnerDep, accounts: AccountsDep, body: AccountBlocking | None = None
) -> AccountDetails:
    return await accounts.set_active(
        account_id=access.account.account_id,
        active=True,
        actor=access.principal.user_id,
        reason=body.reason if body else None,
    )
