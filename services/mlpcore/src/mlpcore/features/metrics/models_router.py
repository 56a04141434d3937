"""Metrics of several models in one request. Models of others are absent."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from mlpcore.features.metrics.dependencies import MetricServiceDep
from mlpcore.features.metrics.router import ModelNames, Time
from mlpcore.features.models.reading.viewer import Viewer
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}/models", tags=["metric-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ, narrows=True))]
_MOST_MODELS = 100


@router.get("/metric", deprecated=True)
async def get_models_metric(
    metrics: ModelNames,
    access: Reader,
    service: MetricServiceDep,
    models: Annotated[list[Annotated[StoredText, Query(max_length=64)]], Query(min_length=1, max_length=_MOST_MODELS)],
    time: Time = None,
) -> dict[str, dict[str, float]]:
    """Returns the values of the last whole minute before that time, by the name of the model."""
    viewer = Viewer.of(access.principal)
    return await service.values_by_name(access.account.account_id, models, metrics, service.at(time), viewer.may_touch)


@router.get("/metrics")
async def get_models_metrics_by_id(
    metrics: ModelNames,
    access: Reader,
    service: MetricServiceDep,
    model_ids: Annotated[
        list[Annotated[int, Query(ge=1, lt=2**63)]], Query(alias="modelsIdes", min_length=1, max_length=_MOST_MODELS)
    ],
    time: Time = None,
) -> dict[int, dict[str, float]]:
    """Returns the values of the last whole minute before that time, by the id of the model."""
    viewer = Viewer.of(access.principal)
    return await service.values_by_id(access.account.account_id, model_ids, metrics, service.at(time), viewer.may_touch)
