from typing import Annotated

from fastapi import APIRouter, Depends, Response

from mlpcore.features.model_groups.schemas import ModelGroupData
from mlpcore.features.model_groups.service import ModelGroupService
from mlpcore.features.models.dependencies import OwnedModelsDep
from mlpcore.features.models.groups import GroupsOfModels
from mlpcore.paths import ModelPath, ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["model-group-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


def model_group_service(session: SessionDep, models: OwnedModelsDep) -> ModelGroupService:
    return ModelGroupService(GroupsOfModels(session), models)


ServiceDep = Annotated[ModelGroupService, Depends(model_group_service)]


@router.get("/model-group")
async def get_groups(access: Reader, service: ServiceDep) -> list[ModelGroupData]:
    return await service.listed(account_id=access.account.account_id)


@router.post("/model-group")
async def create_group(body: ModelGroupData, access: Writer, service: ServiceDep) -> ModelGroupData:
    return await service.create(account_id=access.account.account_id, data=body)


@router.patch("/model-group")
async def update_group(body: ModelGroupData, access: Writer, service: ServiceDep) -> ModelGroupData:
    return await service.rename(account_id=access.account.account_id, data=body)


@router.delete("/model-group/{groupId}", response_class=Response)
async def delete_group(
    groupId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    service: ServiceDep,
) -> Response:
    await service.delete(account_id=access.account.account_id, group_id=groupId)
    return Response()


@router.patch("/model/{model}/model-group/{groupId}", response_class=Response)
async def set_model_group(
    model: ModelPath,
    groupId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    service: ServiceDep,
) -> Response:
    await service.assign(access=access, model=model, group_id=groupId)
    return Response()


@router.delete("/model/{model}/model-group", response_class=Response)
async def remove_model_group(model: ModelPath, access: Writer, service: ServiceDep) -> Response:
    await service.assign(access=access, model=model, group_id=None)
    return Response()
