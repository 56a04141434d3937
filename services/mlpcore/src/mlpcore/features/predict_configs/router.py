from typing import Annotated

from fastapi import APIRouter, Depends, Response

from mlpcore.features.models.dependencies import OwnedModelsDep
from mlpcore.features.predict_configs.repository import PredictConfigRepository
from mlpcore.features.predict_configs.schemas import ConfigCreateUpdateData, PredictConfigData
from mlpcore.features.predict_configs.service import PredictConfigService
from mlpcore.paths import ModelPath, ObjectId
from mlpcore.state import StateDep
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_contracts.internal.predict_configs import ResolvedPredictConfig, ResolvePredictConfig
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Access, Internal, Member

router = APIRouter(
    prefix="/api/mlpcore/account/{account}/model/{model}/predict-config", tags=["predict-config-endpoint"]
)
internal_router = APIRouter(
    prefix="/internal/mlpcore", tags=["internal"], dependencies=[Depends(Internal())], include_in_schema=False
)
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


def predict_config_service(session: SessionDep, models: OwnedModelsDep, state: StateDep) -> PredictConfigService:
    return PredictConfigService(PredictConfigRepository(session), models, Outbox(session, state.clock))


ServiceDep = Annotated[PredictConfigService, Depends(predict_config_service)]


@router.get("")
async def list_predict_configs(model: ModelPath, access: Reader, service: ServiceDep) -> list[PredictConfigData]:
    return await service.listed(access=access, model=model)


@router.post("")
async def create_predict_config(
    model: ModelPath, body: ConfigCreateUpdateData, access: Writer, service: ServiceDep
) -> PredictConfigData:
    return await service.create(access=access, model=model, data=body)


@router.get("/{configId}")
async def get_predict_config(
    model: ModelPath,
    configId: ObjectId,  # noqa: N803  the name on the wire
    access: Reader,
    service: ServiceDep,
) -> PredictConfigData:
    return await service.read(access=access, model=model, config_id=configId)


@router.post("/{configId}")
async def update_predict_config(
    model: ModelPath,
    configId: ObjectId,  # noqa: N803  the name on the wire
    body: ConfigCreateUpdateData,
    access: Writer,
    service: ServiceDep,
) -> PredictConfigData:
    return await service.update(access=access, model=model, config_id=configId, data=body)


@router.delete("/{configId}", response_class=Response)
async def delete_predict_config(
    model: ModelPath,
    configId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    service: ServiceDep,
) -> Response:
    await service.delete(access=access, model=model, config_id=configId)
    return Response()


@internal_router.post("/predict-configs/resolve")
async def resolve_predict_config(body: ResolvePredictConfig, service: ServiceDep) -> ResolvedPredictConfig | None:
    return await service.resolve(model_id=body.model_id, config_id=body.config_id)
