from typing import Annotated

from fastapi import APIRouter, Body, Depends, Response

from mlpcore.features.models.dependencies import ActivityServiceDep
from mlpcore.features.models.schemas import LastActivityPk
from mlpcore.paths import ModelPath
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.policy import Access, Member, Superadmin

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["model-endpoint"])
admin_router = APIRouter(prefix="/api/mlpcore/admin", tags=["admin-endpoint"], dependencies=[Depends(Superadmin())])


@router.post("/model/{model}/activity", response_class=Response)
async def update_last_activity(
    model: ModelPath, access: Annotated[Access, Depends(Member(KeyPermission.PREDICT))], service: ActivityServiceDep
) -> Response:
    await service.touch(access=access, model=model)
    return Response()


@admin_router.post("/update-activities", response_class=Response)
async def update_last_activities(
    body: Annotated[list[LastActivityPk], Body(max_length=10_000)], service: ActivityServiceDep
) -> Response:
    """Marks the models as used now. Models that do not exist are ignored."""
    await service.touch_many(body)
    return Response()
