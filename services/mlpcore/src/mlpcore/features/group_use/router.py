from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query

from mlpcore.features.group_administration.schemas import ResourceGroupData
from mlpcore.features.group_use.dependencies import GroupUseDep
from mlpcore.features.group_use.schemas import (
    ResourceGroupCapacity,
    ResourceGroupServicesData,
    ResourceGroupServicesShortData,
    ResourceGroupShortStatusData,
    ServiceInfoAtTime,
)
from mlpcore.features.models.dependencies import ReadableModelsDep
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.resource_groups.schemas import GroupName, GroupType
from mlpcore.group_policy import GroupMember
from mlpcore.paths import ModelPath
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.policy import Access, AccountPath, InSelectedAccount, SignedIn

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["resource-group-endpoint"])
model_router = APIRouter(prefix="/api/mlpcore/account/{account}/model/{model}", tags=["model-endpoint"])
config_router = APIRouter(prefix="/api/mlpcore/system-config", tags=["system-config-endpoint"])
Reader = Annotated[Access, Depends(GroupMember(KeyPermission.READ))]
ServerReader = Annotated[Access, Depends(GroupMember(KeyPermission.READ, role=Role.DEVELOPER))]
Milliseconds = Annotated[int | None, Query(ge=0, lt=2**42, description="Unix time in milliseconds; default: now")]


@router.get("/owned-resource-groups/short-status")
async def get_owned_resource_groups_short_status(
    access: Reader, use: GroupUseDep
) -> list[ResourceGroupShortStatusData]:
    return await use.statuses(access.account.account_id)


@router.get("/resource-groups/{groupName}/capacity")
async def get_resource_group_capacity(
    group: Annotated[GroupName, Path(alias="groupName")], access: ServerReader, use: GroupUseDep
) -> ResourceGroupCapacity:
    return await use.capacity(access.account.account_id, group)


@router.get("/resource-groups/{groupName}/active-services")
async def get_resource_group_active_services(
    group: Annotated[GroupName, Path(alias="groupName")], access: Reader, use: GroupUseDep
) -> ResourceGroupServicesShortData:
    return await use.active_services(access.account.account_id, group)


@router.get("/resource-groups/{groupName}/all-services")
async def get_resource_group_all_services(
    group: Annotated[GroupName, Path(alias="groupName")], access: Reader, use: GroupUseDep
) -> ResourceGroupServicesData:
    return await use.all_services(access.account.account_id, group)


@router.get("/resource-groups/{groupName}/services", tags=["metric-endpoint"], deprecated=True)
async def get_resource_group_services(
    group: Annotated[GroupName, Path(alias="groupName")], access: Reader, use: GroupUseDep, time: Milliseconds = None
) -> list[str]:
    """Returns the names of `services-info`."""
    return [row.model_name_at_time for row in await use.services_at(access.account.account_id, group, _moment(time))]


@router.get("/resource-groups/{groupName}/services-info", tags=["metric-endpoint"])
async def get_resource_group_services_info(
    group: Annotated[GroupName, Path(alias="groupName")], access: Reader, use: GroupUseDep, time: Milliseconds = None
) -> list[ServiceInfoAtTime]:
    """Returns the services that had an instance in the group at that time."""
    return await use.services_at(access.account.account_id, group, _moment(time))


@model_router.get("/group")
async def get_model_group_type(
    account: AccountPath,
    model: ModelPath,
    access: Annotated[Access, Depends(SignedIn())],
    models: ReadableModelsDep,
    use: GroupUseDep,
) -> GroupType:
    """Returns the type of the group in which the model runs, whether or not the caller may see the group."""
    row = await models.get(account=parse_ref(account), model=parse_ref(model), viewer=Viewer.of(access.principal))
    return await use.type_of(row.model)


@config_router.get("/resource-groups")
async def get_resource_groups_for_account(
    access: Annotated[Access, Depends(InSelectedAccount(KeyPermission.READ))], use: GroupUseDep
) -> list[ResourceGroupData]:
    """Returns the groups in which services of the selected account may run."""
    return await use.for_account(access.account.account_id)


def _moment(milliseconds: int | None) -> datetime | None:
    return None if milliseconds is None else datetime.fromtimestamp(milliseconds / 1000, UTC)
