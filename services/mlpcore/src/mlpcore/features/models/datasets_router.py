"""Which datasets a model can be trained on."""

from typing import Annotated

from fastapi import APIRouter, Depends

from mlpcore.features.datasets.dependencies import DatasetServiceDep
from mlpcore.features.datasets.schemas import DatasetInfoData
from mlpcore.features.datasets.service import allowed_types
from mlpcore.features.models.dependencies import ReadableModelsDep
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.paths import ModelPath
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.policy import Access, AccountPath, SignedIn

router = APIRouter(prefix="/api/mlpcore/account/{account}/model/{model}/dataset", tags=["dataset-endpoint"])
Reader = Annotated[Access, Depends(SignedIn())]


@router.get("/allowed")
async def get_allowed_datasets_for_fit(
    account: AccountPath,
    model: ModelPath,
    access: Reader,
    models: ReadableModelsDep,
    service: DatasetServiceDep,
) -> list[DatasetInfoData]:
    """Returns up to 1,000 datasets of the allowed types: those of the caller's account, then shared ones."""
    viewer = Viewer.of(access.principal)
    found = await models.get(account=parse_ref(account), model=parse_ref(model), viewer=viewer)
    # A key that is limited to models sees nothing of its account but them.
    own = viewer.selected if viewer.allowed_models is None else None
    return await service.allowed(account_id=own, training_type=found.model.training_dataset_type)


@router.get("/allowed-types")
async def get_allowed_data_types_for_fit(
    account: AccountPath, model: ModelPath, access: Reader, models: ReadableModelsDep
) -> list[str]:
    viewer = Viewer.of(access.principal)
    found = await models.get(account=parse_ref(account), model=parse_ref(model), viewer=viewer)
    return allowed_types(found.model.training_dataset_type)
