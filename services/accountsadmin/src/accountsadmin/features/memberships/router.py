from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from accountsadmin.features.memberships.dependencies import MembershipsDep
from accountsadmin.features.memberships.permissions import require_may_end
from accountsadmin.features.memberships.schemas import MemberData, RolesInput
from accountsadmin.paths import Id
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/accountsadmin/account/{account}/member", tags=["members"])

ReadDep = Annotated[Access, Depends(Member(KeyPermission.READ, keys=False))]
OwnerDep = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.OWNER, keys=False))]


@router.get("")
async def list_members(access: ReadDep, memberships: MembershipsDep) -> list[MemberData]:
    return await memberships.members(account_id=access.account.account_id)


@router.put("/{userId}")
async def set_member_roles(
    access: OwnerDep, memberships: MembershipsDep, user_id: Annotated[Id, Path(alias="userId")], body: RolesInput
) -> MemberData:
    return await memberships.set_roles(
        account_id=access.account.account_id, user_id=user_id, roles=body.roles, actor=access.principal.user_id
    )


@router.delete("/{userId}", response_class=Response)
async def end_membership(
    access: ReadDep, memberships: MembershipsDep, user_id: Annotated[Id, Path(alias="userId")]
) -> None:
    require_may_end(access, user_id)
    await memberships.end(account_id=access.account.account_id, user_id=user_id, actor=access.principal.user_id)
