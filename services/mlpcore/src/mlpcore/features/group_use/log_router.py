from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from mlpcore.features.group_use.dependencies import GroupLogsDep
from mlpcore.features.resource_groups.schemas import GroupName
from mlpcore.features.stat_logs.schemas import PageStatLogData, StatLogData
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(
    prefix="/api/mlpcore/account/{account}/resource-groups/{groupName}", tags=["resource-group-endpoint"]
)
Reader = Annotated[Access, Depends(Member(KeyPermission.READ, role=Role.DEVELOPER))]
Group = Annotated[GroupName, Path(alias="groupName")]
Minutes = Annotated[int, Query(ge=1, le=5_256_000, description="how far back; ten years at most")]
ServerName = Annotated[StoredText | None, Query(alias="serverName", max_length=128)]


@router.get("/logs")
async def get_resource_group_logs(group: Group, access: Reader, logs: GroupLogsDep) -> list[StatLogData]:
    return await logs.events(access.account.account_id, group)


@router.get("/logs/page")
async def get_resource_group_logs_page(
    group: Group, access: Reader, logs: GroupLogsDep, page: PageDep, minutes: Minutes
) -> PageStatLogData:
    return await logs.events_page(access.account.account_id, group, minutes=minutes, page=page)


@router.get("/capacity/logs")
async def get_resource_group_capacity_logs(
    group: Group, access: Reader, logs: GroupLogsDep, server_name: ServerName = None
) -> list[StatLogData]:
    return await logs.capacity(access.account.account_id, group, server=server_name)


@router.get("/capacity/logs/page")
async def get_resource_group_capacity_logs_page(
    group: Group,
    access: Reader,
    logs: GroupLogsDep,
    page: PageDep,
    minutes: Minutes,
    server_name: ServerName = None,
) -> PageStatLogData:
    return await logs.capacity_page(access.account.account_id, group, server=server_name, minutes=minutes, page=page)
