from typing import Annotated

from fastapi import APIRouter, Depends, Query

from mlpcore.features.autoscaling.dependencies import AutoscalingServiceDep, DryRunsDep
from mlpcore.features.autoscaling.schemas import DryRunData, ScalingDecisionData, ScalingStateData
from mlpcore.features.models.dependencies import OwnedModelsDep
from mlpcore.features.models.settings.blocks import ModelAutoScalingConfiguration
from mlpcore.paths import ModelPath
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}/model/{model}/autoscaling", tags=["autoscaling-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Developer = Annotated[Access, Depends(Member(KeyPermission.READ, role=Role.DEVELOPER))]
_MOST_MINUTES = 90 * 24 * 60


@router.get("")
async def get_scaling_state(
    model: ModelPath, access: Reader, models: OwnedModelsDep, service: AutoscalingServiceDep
) -> ScalingStateData:
    """Returns what autoscaling sees now, and what it would decide."""
    return await service.state(await models.get(access, model))


@router.get("/decisions")
async def get_scaling_decisions(
    model: ModelPath,
    access: Reader,
    models: OwnedModelsDep,
    service: AutoscalingServiceDep,
    before: Annotated[int | None, Query(ge=1, lt=2**63, description="only decisions with smaller ids")] = None,
    minutes: Annotated[int | None, Query(ge=1, le=_MOST_MINUTES, description="only those of the last minutes")] = None,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> list[ScalingDecisionData]:
    """Returns the decisions of the last 90 days with the numbers that they were made from, the newest first."""
    return await service.decisions(await models.get(access, model), before=before, minutes=minutes, limit=limit)


@router.post("/dry-run")
async def dry_run_scaling(
    model: ModelPath,
    configuration: ModelAutoScalingConfiguration,
    access: Developer,
    models: OwnedModelsDep,
    runs: DryRunsDep,
    hours: Annotated[int, Query(ge=1, le=72, description="of the recorded load")] = 24,
) -> DryRunData:
    """Replays the load of the last hours with this configuration. Changes nothing."""
    return await runs.run(await models.get(access, model), configuration, hours=hours)
