from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from mlpcore.features.data_images.dependencies import DataImageServiceDep
from mlpcore.features.data_images.schemas import DataImageData, DataImageInfoData, PagedDataImageInfoData
from mlpcore.features.images.schemas import Belonging
from mlpcore.features.stat_logs.schemas import StatLogData
from mlpcore.paths import ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.names import parse_ref
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, AccountPath, Member, SignedIn

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["data-image-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]
NameQuery = Annotated[StoredText | None, Query(max_length=128)]


@router.post("/data-image")
async def create_data_image(body: DataImageData, access: Writer, service: DataImageServiceDep) -> DataImageInfoData:
    return await service.create(account_id=access.account.account_id, data=body, user_id=access.principal.user_id)


@router.get("/data-image")
async def get_paged_data_images(
    access: Reader,
    service: DataImageServiceDep,
    page: PageDep,
    *,
    name: NameQuery = None,
    only_my: Annotated[bool, Query(alias="onlyMy")] = False,
) -> PagedDataImageInfoData:
    belonging = Belonging.MINE if only_my else Belonging.ALL
    paging, records = await service.page(
        account_id=access.account.account_id, name=name, belonging=belonging, page=page
    )
    return PagedDataImageInfoData(paging=paging, records=records)


@router.get("/data-image/{imageId}")
async def get_data_image(
    account: AccountPath,
    imageId: ObjectId,  # noqa: N803  the name on the wire
    access: Annotated[Access, Depends(SignedIn())],
    service: DataImageServiceDep,
) -> DataImageInfoData:
    return await service.read(principal=access.principal, ref=parse_ref(account), image_id=imageId)


@router.post("/data-image/{imageId}")
async def update_data_image(
    imageId: ObjectId,  # noqa: N803  the name on the wire
    body: DataImageData,
    access: Writer,
    service: DataImageServiceDep,
) -> DataImageInfoData:
    return await service.update(
        account_id=access.account.account_id, image_id=imageId, data=body, user_id=access.principal.user_id
    )


@router.delete("/data-image/{imageId}", response_class=Response)
async def delete_data_image(
    imageId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    service: DataImageServiceDep,
) -> Response:
    await service.delete(account_id=access.account.account_id, image_id=imageId)
    return Response()


@router.get("/data-image/{imageId}/logs")
async def get_data_image_logs(
    imageId: ObjectId,  # noqa: N803  the name on the wire
    access: Reader,
    service: DataImageServiceDep,
) -> list[StatLogData]:
    return await service.log_of(account_id=access.account.account_id, image_id=imageId)
