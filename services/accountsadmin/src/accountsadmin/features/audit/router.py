from typing import Annotated

from fastapi import APIRouter, Depends, Query

from accountsadmin.features.audit.dependencies import AuditDep
from accountsadmin.features.audit.schemas import AuditPage, SecurityEvent
from accountsadmin.paths import Id
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, Member, Superadmin

router = APIRouter(prefix="/api/accountsadmin", tags=["audit"])


@router.get("/admin/audit", dependencies=[Depends(Superadmin())])
async def list_audit(
    audit: AuditDep,
    page: PageDep,
    user_id: Annotated[Id | None, Query(alias="userId")] = None,
    account_id: Annotated[Id | None, Query(alias="accountId")] = None,
    kind: SecurityEvent | None = None,
) -> AuditPage:
    return await audit.page(request=page, user_id=user_id, account_id=account_id, kind=kind)


@router.get("/account/{account}/audit")
async def list_account_audit(
    access: Annotated[Access, Depends(Member(KeyPermission.READ, role=Role.OWNER, keys=False))],
    audit: AuditDep,
    page: PageDep,
    kind: SecurityEvent | None = None,
) -> AuditPage:
    """Without the reasons of administrators, which only administrators read."""
    return await audit.page(request=page, account_id=access.account.account_id, kind=kind, with_reasons=False)
