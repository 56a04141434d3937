from typing import Annotated

from fastapi import APIRouter, Depends, Query, Response

from mlpcore.features.images.dependencies import ImageServiceDep
from mlpcore.features.images.schemas import Belonging, ImageData, ImageInfoData, PagedImageInfoData
from mlpcore.features.stat_logs.schemas import StatLogData
from mlpcore.paths import ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.names import parse_ref
from mlplace_kit.pagination import PageRequest
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, AccountPath, Member, SignedIn

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["image-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]
NameQuery = Annotated[StoredText | None, Query(max_length=128)]


@router.post("/image")
async def create_image(body: ImageData, access: Writer, service: ImageServiceDep) -> ImageInfoData:
    return await service.create(account_id=access.account.account_id, data=body, user_id=access.principal.user_id)


@router.get("/image", deprecated=True)
async def get_paged_images(
    access: Reader,
    service: ImageServiceDep,
    page: PageDep,
    *,
    name: NameQuery = None,
    only_my: Annotated[bool, Query(alias="onlyMy")] = False,
) -> PagedImageInfoData:
    belonging = Belonging.MINE if only_my else Belonging.ALL
    return await _page(service, access, name, belonging, page)


@router.get("/image-v2")
async def get_paged_images_v2(
    access: Reader,
    service: ImageServiceDep,
    page: PageDep,
    name: NameQuery = None,
    belonging: Belonging = Belonging.ALL,
) -> PagedImageInfoData:
    return await _page(service, access, name, belonging, page)


async def _page(
    service: ImageServiceDep, access: Access, name: str | None, belonging: Belonging, page: PageRequest
) -> PagedImageInfoData:
    paging, records = await service.page(
        account_id=access.account.account_id, name=name, belonging=belonging, page=page
    )
    return PagedImageInfoData(paging=paging, records=records)


@router.get("/image/{imageId}")
async def get_image(
    account: AccountPath,
    imageId: ObjectId,  # noqa: N803  the name on the wire
    access: Annotated[Access, Depends(SignedIn())],
    service: ImageServiceDep,
) -> ImageInfoData:
    return await service.read(principal=access.principal, ref=parse_ref(account), image_id=imageId)


@router.post("/image/{imageId}")
async def update_image(
    imageId: ObjectId,  # noqa: N803  the name on the wire
    body: ImageData,
    access: Writer,
    service: ImageServiceDep,
) -> ImageInfoData:
    return await service.update(
        account_id=access.account.account_id, image_id=imageId, data=body, user_id=access.principal.user_id
    )


@router.delete("/image/{imageId}", response_class=Response)
async def delete_image(
    imageId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    service: ImageServiceDep,
) -> Response:
    await service.delete(account_id=access.account.account_id, image_id=imageId)
    return Response()


@router.get("/image/{imageId}/logs")
async def get_image_logs(
    imageId: ObjectId,  # noqa: N803  the name on the wire
    access: Reader,
    service: ImageServiceDep,
) -> list[StatLogData]:
    return await service.log_of(account_id=access.account.account_id, image_id=imageId)


@router.post("/image/{imageId}/models-restart", response_class=Response)
async def restart_image_models(
    imageId: ObjectId,  # noqa: N803  the name on the wire
    access: Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER, narrows=True))],
    service: ImageServiceDep,
) -> Response:
    """Replaces the instances of the account's models with this image one by one. The task RELOAD shows the progress.

    A key that is limited to models restarts only those.
    """
    await service.restart_models(
        account_id=access.account.account_id,
        image_id=imageId,
        user_id=access.principal.user_id,
        only=access.principal.allowed_models,
    )
    return Response()
