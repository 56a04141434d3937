from typing import Annotated

from fastapi import APIRouter, Depends

from mlpcore.features.datasets.formats.types import DATASET_TYPES
from mlpcore.features.models.settings.blocks import (
    ModelBatchesData,
    ModelDefaults,
    ModelLimitsData,
    ModelRetriesData,
    ModelTimeoutsData,
)
from mlpcore.features.system.schemas import CaptchaData, FrontendSettings, TaskTypeData, VersionData
from mlpcore.features.system.vocabulary import TASK_TYPES
from mlpcore.state import StateDep
from mlplace_runtime.process.versions import installed_version
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import Access, Internal, Public

DEFAULT_RESOURCE_GROUP = "default"

router = APIRouter(prefix="/api/mlpcore", dependencies=[Depends(Public())])
internal_router = APIRouter(
    prefix="/internal/mlpcore", tags=["internal"], dependencies=[Depends(Internal())], include_in_schema=False
)
_CONFIG = "system-config-endpoint"


@router.get("/system-config/task-types", tags=[_CONFIG])
async def get_task_types() -> list[TaskTypeData]:
    return TASK_TYPES


@router.get("/system-config/dataset-data-type", tags=[_CONFIG])
async def get_dataset_data_types() -> list[str]:
    return DATASET_TYPES


@router.get("/system-config/captcha", tags=[_CONFIG])
async def get_captcha_config() -> CaptchaData:
    return CaptchaData(enabled=False, site_key="")


@router.get("/system-config/model-defaults", tags=[_CONFIG])
async def get_model_defaults() -> ModelDefaults:
    return ModelDefaults(
        timeouts=ModelTimeoutsData(),
        retries=ModelRetriesData(),
        batches=ModelBatchesData(),
        limits=ModelLimitsData(),
        resource_group=DEFAULT_RESOURCE_GROUP,
    )


@router.get("/system-config/frontend-settings", tags=[_CONFIG])
async def get_frontend_settings(access: Annotated[Access, Depends(Public())], state: StateDep) -> FrontendSettings:
    settings = state.settings
    return FrontendSettings(
        is_system_account=access.principal.superadmin,
        is_billing_enabled=settings.billing_enabled,
        is_archive_enabled=settings.archive_enabled,
        is_extended_landing=settings.extended_landing,
        currency_type=settings.currency,
        default_max_price=float(settings.default_max_price),
        english_only=settings.english_only,
        refill_by_manager=settings.refills_by_manager,
        manager_mail=settings.manager_mail or None,
        support_chat_url=settings.support_chat_url or None,
        save_clicks_enabled=settings.save_clicks_enabled,
        env_name=settings.environment_name,
        license=state.license.shown(state.clock.now()),
    )


@router.get("/version", tags=["system-endpoint"])
async def get_version(state: StateDep) -> VersionData:
    """`buildNumber` is the package's version unless the build sets it."""
    return VersionData(
        build_number=state.settings.build_number or installed_version("mlplace-mlpcore"),
        build_date=state.settings.build_date,
        build_branch=state.settings.build_branch,
    )


@internal_router.post("/republish")
async def republish(session: SessionDep, state: StateDep) -> dict[str, int]:
    """Writes the state of all objects into the outbox again, for a bus that lost its topics. Returns the count."""
    counts = [await republisher(session, state.clock) for republisher in state.ports.republishers]
    return {"events": sum(counts)}
