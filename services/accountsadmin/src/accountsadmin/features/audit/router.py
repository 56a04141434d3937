from typing import Annotated

from fastapi import APIRouter, Depends, Query

from accountsadmin.features.audit.schemas import AuditPage, SecurityEvent
from accountsadmin.paths import Id
from accountsadmin.unit_of_work import WorkDep
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, Member, Superadmin

router = APIRouter(prefix="/api/accountsadmin", tags=["audit"])


@router.get("/admin/audit", dependencies=[Depends(Superadmin())])
async def list_audit(
    work: WorkDep,
    page: PageDep,
    user_id: Annotated[Id | None, Query(alias="userId")] = None,
    account_id: Annotated[Id | None, Query(alias="accountId")] = None,
    kind: SecurityEvent | None = None,
) -> AuditPage:
    return await work.audit.page(request=page, user_id=user_id, account_id=account_id, kind=kind)


@router.get("/account/{account}/audit")
async def list_account_audit(
    access: Annotated[Access, Depends(Member(KeyPermission.READ, role=Role.OWNER, keys=False))],
    work: WorkDep,
    page: PageDep,
    kind: SecurityEvent | None = None,
) -> AuditPage:
    return await work.audit.page(request=page, account_id=access.account.account_id, kind=kind)
