from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Response

from mlpcore.features.models.dependencies import OwnedModelsDep
from mlpcore.features.resource_groups.schemas import GroupName
from mlpcore.features.server_templates.dependencies import ServerTemplateServiceDep
from mlpcore.features.server_templates.schemas import (
    MOST_INSTANCES,
    CreateUpdateServerTemplateData,
    ServerTemplateAvailability,
    ServerTemplateData,
    TemplateType,
)
from mlpcore.group_policy import GroupMember
from mlpcore.paths import ModelPath, ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member

_TAG = "resource-group-servers-endpoint"
router = APIRouter(prefix="/api/mlpcore/account/{account}/server/template", tags=[_TAG])
group_router = APIRouter(prefix="/api/mlpcore/account/{account}/resource-groups/{groupName}/server", tags=[_TAG])
model_router = APIRouter(prefix="/api/mlpcore/account/{account}/model/{model}", tags=["model-endpoint"])
Reader = Annotated[Access, Depends(GroupMember(KeyPermission.READ, role=Role.DEVELOPER))]
Writer = Annotated[Access, Depends(GroupMember(KeyPermission.WRITE, role=Role.DEVELOPER))]


@router.get("")
async def get_own_templates(access: Reader, service: ServerTemplateServiceDep) -> list[ServerTemplateData]:
    return await service.own(access.account.account_id)


@router.post("")
async def add_server_template(
    body: CreateUpdateServerTemplateData, access: Writer, service: ServerTemplateServiceDep
) -> ServerTemplateData:
    return await service.create(account_id=access.account.account_id, data=body)


@router.get("/public")
async def get_public_templates(
    access: Reader,
    service: ServerTemplateServiceDep,
    group_type: Annotated[TemplateType | None, Query(alias="groupType")] = None,
) -> list[ServerTemplateData]:
    """Returns the templates that the platform has published, for groups of this type or of all."""
    return await service.public(access.account.account_id, group_type)


@router.post("/{templateId}")
async def update_server_template(
    template_id: Annotated[ObjectId, Path(alias="templateId")],
    body: CreateUpdateServerTemplateData,
    access: Writer,
    service: ServerTemplateServiceDep,
) -> ServerTemplateData:
    """Replaces the whole template. Servers that were made from it before keep what they took."""
    return await service.update(account_id=access.account.account_id, template_id=template_id, data=body)


@router.delete("/{templateId}", response_class=Response)
async def delete_server_template(
    template_id: Annotated[ObjectId, Path(alias="templateId")], access: Writer, service: ServerTemplateServiceDep
) -> Response:
    """Servers that were made from it keep what they took, and its id as their `templateId`."""
    await service.delete(account_id=access.account.account_id, template_id=template_id)
    return Response()


@router.get("/{templateId}/availability")
async def get_server_template_availability(
    template_id: Annotated[ObjectId, Path(alias="templateId")], access: Reader, service: ServerTemplateServiceDep
) -> ServerTemplateAvailability:
    """Says how many servers can be made now. Owners bring their hosting servers: the platform sets no bound to them."""
    return await service.availability(account_id=access.account.account_id, template_id=template_id)


@group_router.get("/template")
async def get_templates(
    group: Annotated[GroupName, Path(alias="groupName")], access: Reader, service: ServerTemplateServiceDep
) -> list[ServerTemplateData]:
    """Returns the account's own templates and the public ones for servers of the group."""
    return await service.of_group(access.account.account_id, group)


@model_router.get("/templates")
async def get_model_templates(
    model: ModelPath,
    access: Annotated[Access, Depends(Member(KeyPermission.READ, role=Role.DEVELOPER))],
    models: OwnedModelsDep,
    service: ServerTemplateServiceDep,
    count: Annotated[int, Query(ge=1, le=MOST_INSTANCES, description="instances on one server")] = 1,
) -> list[ServerTemplateData]:
    """Returns the own and public templates whose servers hold that many instances of the model, the cheapest first."""
    return await service.for_model(access=access, model=await models.get(access, model), count=count)
