from typing import Annotated

from fastapi import APIRouter, Depends, Path, Response

from mlpcore.features.resource_groups.schemas import GroupName
from mlpcore.features.servers.dependencies import ServerServiceDep
from mlpcore.features.servers.schemas import (
    CreatedServerData,
    CreateResourceGroupServer,
    ResourceGroupServerData,
    ResourceGroupServerDataWithStatus,
)
from mlpcore.group_policy import GroupMember
from mlpcore.paths import ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access

router = APIRouter(
    prefix="/api/mlpcore/account/{account}/resource-groups/{groupName}/server", tags=["resource-group-endpoint"]
)
Reader = Annotated[Access, Depends(GroupMember(KeyPermission.READ, role=Role.DEVELOPER))]
Writer = Annotated[Access, Depends(GroupMember(KeyPermission.WRITE, role=Role.DEVELOPER))]


@router.post("")
async def create_server(
    group: Annotated[GroupName, Path(alias="groupName")],
    body: CreateResourceGroupServer,
    access: Writer,
    service: ServerServiceDep,
) -> CreatedServerData:
    return await service.create(
        account_id=access.account.account_id, group=group, data=body, user_id=access.principal.user_id
    )


@router.get("")
async def get_servers(
    group: Annotated[GroupName, Path(alias="groupName")], access: Reader, service: ServerServiceDep
) -> list[ResourceGroupServerData]:
    return await service.listed(account_id=access.account.account_id, group=group)


@router.get("/status")
async def get_servers_status(
    group: Annotated[GroupName, Path(alias="groupName")], access: Reader, service: ServerServiceDep
) -> list[ResourceGroupServerDataWithStatus]:
    return await service.statuses(account_id=access.account.account_id, group=group)


@router.get("/{serverId}")
async def get_server(
    group: Annotated[GroupName, Path(alias="groupName")],
    server_id: Annotated[ObjectId, Path(alias="serverId")],
    access: Reader,
    service: ServerServiceDep,
) -> ResourceGroupServerData:
    return await service.read(account_id=access.account.account_id, group=group, server_id=server_id)


@router.get("/{serverId}/status")
async def get_server_status(
    group: Annotated[GroupName, Path(alias="groupName")],
    server_id: Annotated[ObjectId, Path(alias="serverId")],
    access: Reader,
    service: ServerServiceDep,
) -> ResourceGroupServerDataWithStatus:
    return await service.status(account_id=access.account.account_id, group=group, server_id=server_id)


@router.delete("/{serverId}", response_class=Response)
async def delete_server(
    group: Annotated[GroupName, Path(alias="groupName")],
    server_id: Annotated[ObjectId, Path(alias="serverId")],
    access: Writer,
    service: ServerServiceDep,
) -> Response:
    await service.delete(
        account_id=access.account.account_id, group=group, server_id=server_id, user_id=access.principal.user_id
    )
    return Response()
