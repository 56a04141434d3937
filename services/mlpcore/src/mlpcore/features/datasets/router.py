from typing import Annotated

from fastapi import APIRouter, Depends, Response

from mlpcore.features.datasets.dependencies import DatasetContentsDep, DatasetServiceDep
from mlpcore.features.datasets.schemas import CreateOrUpdateDatasetInfoData, DatasetInfoData, DatasetStorageData
from mlpcore.features.stat_logs.schemas import StatLogData
from mlpcore.paths import ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.names import parse_ref
from mlplace_runtime.web.policy import Access, AccountPath, Member, SignedIn

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["dataset-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


@router.get("/dataset")
async def list_datasets(access: Reader, service: DatasetServiceDep) -> list[DatasetInfoData]:
    return await service.listed(account_id=access.account.account_id)


@router.get("/dataset-storage")
async def get_dataset_storage(access: Reader, service: DatasetServiceDep) -> DatasetStorageData:
    return await service.storage(account_id=access.account.account_id)


@router.post("/dataset/empty")
async def create_empty_dataset(
    body: CreateOrUpdateDatasetInfoData, access: Writer, service: DatasetServiceDep
) -> DatasetInfoData:
    """The `id` of the body does not count."""
    return await service.create(account_id=access.account.account_id, data=body, user_id=access.principal.user_id)


@router.get("/dataset/{datasetId}")
async def get_dataset_info(
    account: AccountPath,
    datasetId: ObjectId,  # noqa: N803  the name on the wire
    access: Annotated[Access, Depends(SignedIn())],
    service: DatasetServiceDep,
) -> DatasetInfoData:
    return await service.read(principal=access.principal, ref=parse_ref(account), dataset_id=datasetId)


@router.post("/dataset/{datasetId}/raw")
async def update_dataset(
    datasetId: ObjectId,  # noqa: N803  the name on the wire
    body: CreateOrUpdateDatasetInfoData,
    access: Writer,
    service: DatasetServiceDep,
) -> DatasetInfoData:
    return await service.update(
        account_id=access.account.account_id, dataset_id=datasetId, data=body, user_id=access.principal.user_id
    )


@router.delete("/dataset/{datasetId}", response_class=Response)
async def delete_dataset(
    datasetId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    contents: DatasetContentsDep,
) -> Response:
    await contents.delete(account_id=access.account.account_id, dataset_id=datasetId)
    return Response()


@router.get("/dataset/{datasetId}/logs")
async def get_dataset_logs(
    datasetId: ObjectId,  # noqa: N803  the name on the wire
    access: Reader,
    service: DatasetServiceDep,
) -> list[StatLogData]:
    return await service.log_of(account_id=access.account.account_id, dataset_id=datasetId)
