"""Routes that move contents. Their forms are read piece by piece, after the policy has let the caller in."""

import asyncio
import re
from typing import Annotated, Any, BinaryIO, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse

from mlpcore.features.datasets.contents import Source
from mlpcore.features.datasets.dependencies import DatasetContentsDep, DatasetServiceDep
from mlpcore.features.datasets.downloads import DownloadResponse
from mlpcore.features.datasets.schemas import (
    AccessMode,
    CreateOrUpdateDatasetInfoData,
    DatasetInfoData,
    DatasetName,
    DatasetRowsChangeData,
    DatasetRowsData,
    DatasetType,
    DeprecatedDatasetInfoWithContentData,
    Description,
)
from mlpcore.features.datasets.uploads import FIELD, Bound, Received, receive, receive_text
from mlpcore.paths import ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.names import parse_ref
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, AccountPath, Member, SignedIn

UPLOAD_PATH: Final = re.compile(r"/api/mlp(?:core|gate)/account/[^/]+/dataset/(?:raw|[0-9]+/content)")
_FORM: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": [FIELD],
                    "properties": {FIELD: {"type": "string", "format": "binary"}},
                }
            }
        },
    }
}
_BYTES: Final[dict[int | str, dict[str, Any]]] = {
    200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}
_ODD: Final = re.compile(r"[^A-Za-z0-9._ -]")

router = APIRouter(prefix="/api/mlpcore/account/{account}/dataset", tags=["dataset-endpoint"])
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]
Reader = Annotated[Access, Depends(SignedIn())]
Digest = Annotated[
    StoredText | None, Query(max_length=64, description="SHA-256 of the file in hexadecimal digits; others are refused")
]


def _form(request: Request, sha256: str | None) -> Source:
    content_type = request.headers.get("content-type", "")

    async def source(file: BinaryIO, bound: Bound) -> Received:
        return await receive(request.stream(), file, content_type=content_type, bound=bound, sha256=sha256)

    return source


def _text(text: str) -> Source:
    async def source(file: BinaryIO, bound: Bound) -> Received:
        return await asyncio.to_thread(receive_text, text, file, bound=bound)

    return source


@router.post("/raw", openapi_extra=_FORM)
async def create_dataset(
    request: Request,
    access: Writer,
    contents: DatasetContentsDep,
    name: Annotated[DatasetName, Query()],
    *,
    description: Annotated[Description | None, Query()] = None,
    data_type: Annotated[DatasetType | None, Query(alias="dataType")] = None,
    access_mode: Annotated[AccessMode | None, Query(alias="accessMode")] = None,
    sha256: Digest = None,
) -> DatasetInfoData:
    data = CreateOrUpdateDatasetInfoData(
        name=name, description=description, data_type=data_type, access_mode=access_mode
    )
    return await contents.create(
        account_id=access.account.account_id,
        data=data,
        source=_form(request, sha256),
        user_id=access.principal.user_id,
    )


@router.post("", deprecated=True)
async def deprecated_create_dataset(
    body: DeprecatedDatasetInfoWithContentData,
    access: Writer,
    contents: DatasetContentsDep,
    service: DatasetServiceDep,
) -> DatasetInfoData:
    account_id, user_id = access.account.account_id, access.principal.user_id
    data = CreateOrUpdateDatasetInfoData(name=body.name, description=body.description, data_type=body.data_type)
    if not body.content:
        return await service.create(account_id=account_id, data=data, user_id=user_id)
    return await contents.create(account_id=account_id, data=data, source=_text(body.content), user_id=user_id)


@router.post("/{datasetId}", deprecated=True)
async def deprecated_update_dataset(
    datasetId: ObjectId,  # noqa: N803  the name on the wire
    body: DeprecatedDatasetInfoWithContentData,
    access: Writer,
    contents: DatasetContentsDep,
    service: DatasetServiceDep,
) -> DatasetInfoData:
    """A missing content keeps what the dataset has."""
    account_id, user_id = access.account.account_id, access.principal.user_id
    data = CreateOrUpdateDatasetInfoData.model_validate(body.model_dump(exclude_unset=True, exclude={"content"}))
    if not body.content:
        return await service.update(account_id=account_id, dataset_id=datasetId, data=data, user_id=user_id)
    return await contents.update(
        account_id=account_id, dataset_id=datasetId, data=data, source=_text(body.content), user_id=user_id
    )


@router.get("/{datasetId}/content", response_class=StreamingResponse, responses=_BYTES)
async def download_dataset_raw_content(
    account: AccountPath,
    datasetId: ObjectId,  # noqa: N803  the name on the wire
    access: Reader,
    contents: DatasetContentsDep,
    data_type: Annotated[StoredText | None, Query(alias="type", max_length=64)] = None,
) -> StreamingResponse:
    """Returns the content as it was uploaded, or converted to another type of the same content."""
    found = await contents.download(
        principal=access.principal, ref=parse_ref(account), dataset_id=datasetId, data_type=data_type
    )
    headers = {"Content-Disposition": _attachment(found.file_name), "Content-Length": str(found.size)}
    if found.etag:
        headers["ETag"] = f'"{found.etag}"'
    return DownloadResponse(found, headers)


@router.post("/{datasetId}/content", openapi_extra=_FORM)
async def upload_dataset_content(
    request: Request,
    datasetId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    contents: DatasetContentsDep,
    sha256: Digest = None,
) -> DatasetInfoData:
    return await contents.replace(
        account_id=access.account.account_id,
        dataset_id=datasetId,
        source=_form(request, sha256),
        user_id=access.principal.user_id,
    )


@router.get("/{datasetId}/rows")
async def get_dataset_rows(
    account: AccountPath,
    datasetId: ObjectId,  # noqa: N803  the name on the wire
    access: Reader,
    contents: DatasetContentsDep,
    first: Annotated[int, Query(ge=0, lt=2**53)] = 0,
    size: Annotated[int, Query(ge=1, le=500)] = 50,
) -> DatasetRowsData:
    return await contents.rows(
        principal=access.principal, ref=parse_ref(account), dataset_id=datasetId, first=first, size=size
    )


@router.post("/{datasetId}/rows")
async def change_dataset_rows(
    datasetId: ObjectId,  # noqa: N803  the name on the wire
    body: DatasetRowsChangeData,
    access: Writer,
    contents: DatasetContentsDep,
) -> DatasetInfoData:
    """Writes a new content. 409 if the content has another version by now."""
    return await contents.change_rows(
        account_id=access.account.account_id, dataset_id=datasetId, data=body, user_id=access.principal.user_id
    )


def _attachment(name: str) -> str:
    return f"attachment; filename=\"{_ODD.sub('_', name)}\"; filename*=UTF-8''{quote(name, safe='')}"
