"""Lists of models: of an account, the public catalogue, featured models."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query

from mlpcore.features.models.dependencies import FiltersDep, ModelReaderDep
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.schemas import (
    CatalogCategoryData,
    ModelCounts,
    ModelInfoData,
    ModelListRequest,
    ModelNameAvailability,
    PagedModelInfoData,
)
from mlpcore.paths import ModelPath
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.names import parse_ref
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, InSelectedAccount, Member, Public

router = APIRouter(tags=["model-endpoint"])
account_router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["model-endpoint"])
Visitor = Annotated[Access, Depends(Public())]
Reader = Annotated[Access, Depends(Member(KeyPermission.READ, narrows=True))]


@account_router.get("/model")
async def get_paged_models(
    access: Reader, reader: ModelReaderDep, filters: FiltersDep, page: PageDep
) -> PagedModelInfoData:
    viewer = Viewer.of(access.principal)
    return await reader.of_account(account_id=access.account.account_id, filters=filters, viewer=viewer, page=page)


@account_router.get("/model-counts")
async def get_model_counts(access: Reader, reader: ModelReaderDep) -> ModelCounts:
    return await reader.counts(account_id=access.account.account_id, viewer=Viewer.of(access.principal))


@account_router.post("/model-list")
async def get_model_list(body: ModelListRequest, access: Reader, reader: ModelReaderDep) -> list[ModelInfoData]:
    pairs = [(parse_ref(entry.account), parse_ref(entry.model)) for entry in body.ids]
    return await reader.by_ids(pairs=pairs, viewer=Viewer.of(access.principal))


@router.get("/api/mlpcore/models")
async def get_public_models(
    access: Visitor, reader: ModelReaderDep, filters: FiltersDep, page: PageDep
) -> PagedModelInfoData:
    return await reader.catalogue(filters=filters, viewer=Viewer.of(access.principal), page=page)


@router.get("/api/mlpcore/models/featured")
async def get_featured_models(access: Visitor, reader: ModelReaderDep) -> list[ModelInfoData]:
    return await reader.featured(viewer=Viewer.of(access.principal))


@router.get("/api/mlpcore/catalog-category", dependencies=[Depends(Public())])
async def get_catalog_categories(reader: ModelReaderDep) -> CatalogCategoryData:
    return await reader.categories()


@router.post("/api/mlpcore/model-name-availability")
async def check_model_name_availability(
    access: Annotated[Access, Depends(InSelectedAccount(KeyPermission.READ))],
    reader: ModelReaderDep,
    model_name: Annotated[StoredText, Query(alias="modelName", max_length=256)],
) -> ModelNameAvailability:
    return await reader.name_availability(account_id=access.account.account_id, name=model_name)


@router.get("/p/{accountField}/{modelField}")
async def get_model_by_public_path(
    accountField: ModelPath,  # noqa: N803  the name on the wire
    modelField: ModelPath,  # noqa: N803  the name on the wire
    access: Visitor,
    reader: ModelReaderDep,
) -> ModelInfoData:
    viewer = Viewer.of(access.principal)
    return await reader.read(account=parse_ref(accountField), model=parse_ref(modelField), viewer=viewer)
