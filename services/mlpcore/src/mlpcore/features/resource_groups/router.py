from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from mlpcore.features.resource_groups.dependencies import GroupServiceDep
from mlpcore.features.resource_groups.schemas import (
    CreateResourceGroupData,
    GroupName,
    GroupType,
    ResourceGroupEssentialData,
    UpdateResourceGroupData,
)
from mlpcore.group_policy import GroupMember
from mlpcore.state import StateDep
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["resource-group-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
GroupReader = Annotated[Access, Depends(GroupMember(KeyPermission.READ))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


@router.get("/resource-group-types", dependencies=[Depends(Member(KeyPermission.READ))])
async def get_resource_group_types(state: StateDep) -> list[GroupType]:
    return [GroupType(kind) for kind in state.ports.group_types]


@router.get("/owned-resource-groups")
async def get_owned_resource_groups(access: Reader, service: GroupServiceDep) -> list[ResourceGroupEssentialData]:
    return await service.owned(account_id=access.account.account_id)


@router.get("/deployable-resource-groups")
async def get_deployable_resource_groups(access: Reader, service: GroupServiceDep) -> list[ResourceGroupEssentialData]:
    return await service.deployable(account_id=access.account.account_id)


@router.post("/resource-groups")
async def create_resource_group(
    body: CreateResourceGroupData, access: Writer, service: GroupServiceDep
) -> ResourceGroupEssentialData:
    return await service.create(
        account_id=access.account.account_id,
        data=body,
        superadmin=access.principal.superadmin,
        user_id=access.principal.user_id,
    )


@router.get("/resource-groups/{groupName}")
async def get_resource_group(
    group: Annotated[GroupName, Path(alias="groupName")], access: GroupReader, service: GroupServiceDep
) -> ResourceGroupEssentialData:
    return await service.read(account_id=access.account.account_id, name=group)


@router.post("/resource-groups/{groupName}", response_class=Response)
async def update_resource_group(
    group: Annotated[GroupName, Path(alias="groupName")],
    body: UpdateResourceGroupData,
    access: Writer,
    service: GroupServiceDep,
) -> Response:
    await service.update(
        account_id=access.account.account_id,
        name=group,
        data=body,
        superadmin=access.principal.superadmin,
        user_id=access.principal.user_id,
    )
    return Response()


@router.delete("/resource-groups/{groupName}", response_class=Response)
async def delete_resource_group(
    group: Annotated[GroupName, Path(alias="groupName")], access: Writer, service: GroupServiceDep
) -> Response:
    await service.delete(account_id=access.account.account_id, name=group)
    return Response()
