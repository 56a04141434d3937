from enum import StrEnum
from typing import Annotated

from fastapi import APIRouter, Depends, Query

from mlpcore.features.call_statistics.periods import PeriodRepository, Step
from mlpcore.features.models.dependencies import OwnedModelsDep
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.recent_calls.repository import OwnModels
from mlpcore.features.recent_calls.schemas import CallSeriesData, ModelRecentCallsData
from mlpcore.features.recent_calls.service import MOST_MODELS, RecentCalls
from mlpcore.paths import ModelPath
from mlpcore.state import StateDep
from mlplace_contracts.enums import KeyPermission
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["call-statistics-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ, narrows=True))]


class StepName(StrEnum):
    MINUTE = "MINUTE"
    HOUR = "HOUR"


def recent_calls(session: SessionDep, state: StateDep) -> RecentCalls:
    return RecentCalls(PeriodRepository(session), OwnModels(session), state.clock)


RecentCallsDep = Annotated[RecentCalls, Depends(recent_calls)]


@router.get("/call-statistics")
async def get_recent_calls(
    access: Reader,
    calls: RecentCallsDep,
    model_ids: Annotated[
        list[Annotated[int, Query(ge=1, lt=2**63)]], Query(alias="modelId", min_length=1, max_length=MOST_MODELS)
    ],
) -> list[ModelRecentCallsData]:
    """Returns the calls of the last 24 hours of the account's models. Models of others are absent."""
    viewer = Viewer.of(access.principal)
    visible = [model_id for model_id in model_ids if viewer.may_touch(model_id)]
    return await calls.of_account(access.account.account_id, visible)


@router.get("/model/{model}/call-statistics")
async def get_call_series(
    model: ModelPath,
    access: Reader,
    models: OwnedModelsDep,
    calls: RecentCallsDep,
    step: StepName = StepName.MINUTE,
) -> CallSeriesData:
    """Returns the calls of the last hour by minute, or of the last 24 hours by hour."""
    return await calls.of_model((await models.get(access, model)).model_id, Step[step.name])
