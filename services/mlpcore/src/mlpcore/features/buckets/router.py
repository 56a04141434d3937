"""The account's bucket in the platform's own API: its keys, and what the web interface shows. Programs use S3."""

import re
from typing import Annotated, Any, Final
from urllib.parse import quote

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import StreamingResponse

from mlpcore.features.buckets.contents import ByteRange
from mlpcore.features.buckets.dependencies import BucketContentsDep, BucketCredentialsDep, BucketServiceDep
from mlpcore.features.buckets.keys import checked_key
from mlpcore.features.buckets.objects import Attributes, IncomingObject, ObjectInfo
from mlpcore.features.buckets.schemas import (
    EmptyUsersResponse,
    KeyPrefix,
    S3CredentialsData,
    S3DeleteData,
    S3DeletedData,
    S3FolderData,
    S3ObjectData,
    S3ObjectListData,
    S3StorageData,
)
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.errors import MalformedRequest
from mlplace_kit.wire import StoredText
from mlplace_runtime.web.policy import Access, Member, Superadmin

UPLOAD_PATH: Final = re.compile(r"/api/mlpcore/account/[^/]+/s3/content")
_MOST_DELETED: Final = 20_000
_CONTENT_TYPE: Final = re.compile(r"[\x21-\x7e][\x20-\x7e]{0,254}")
_BYTES: Final[dict[str, Any]] = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
_BODY: Final[dict[str, Any]] = {"requestBody": {"required": True, "content": _BYTES}}

router = APIRouter(prefix="/api/mlpcore/account/{account}/s3", tags=["account-endpoint"])
admin_router = APIRouter(prefix="/api/mlpcore/admin/minio", tags=["admin-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]
Key = Annotated[StoredText, Query(max_length=1024)]


@router.get("")
async def get_s3_credentials(access: Writer, credentials: BucketCredentialsDep) -> S3CredentialsData:
    """Makes the bucket and its keys at the first request."""
    return await credentials.shown(access.account.account_id, author=access.principal.author)


@router.post("/rotate")
async def rotate_s3_credentials(access: Writer, credentials: BucketCredentialsDep) -> S3CredentialsData:
    """Replaces the secret key. The old one is refused at once."""
    return await credentials.rotate(access.account.account_id, author=access.principal.author)


@router.get("/storage")
async def get_s3_storage(access: Reader, service: BucketServiceDep) -> S3StorageData:
    return await service.storage(access.account.account_id)


@router.get("/object")
async def list_s3_objects(
    access: Reader,
    service: BucketServiceDep,
    prefix: Annotated[KeyPrefix, Query()] = "",
    after: Annotated[KeyPrefix, Query()] = "",
    limit: Annotated[int, Query(ge=1, le=1000)] = 200,
) -> S3ObjectListData:
    """Returns one folder, in the order of keys: what has a / after the prefix is shown as a folder."""
    account_id = access.account.account_id
    page = await service.listed(account_id, prefix=prefix, after=after, most=limit, folders=True)
    return S3ObjectListData(
        bucket_name=await service.name(account_id),
        prefix=prefix,
        folders=[S3FolderData(name=_name(folder), prefix=folder) for folder in page.folders],
        objects=[_shown(each) for each in page.objects],
        next=page.next,
    )


@router.put("/content", openapi_extra=_BODY)
async def put_s3_object(request: Request, access: Writer, contents: BucketContentsDep, key: Key) -> S3ObjectData:
    """Stores the body, as it is, under the key. An object that has the key is replaced."""
    declared = request.headers.get("content-length", "")
    kind = request.headers.get("content-type", "")
    if not (declared.isascii() and declared.isdigit()):
        raise MalformedRequest(reason="it does not say how long its body is")
    incoming = IncomingObject(request.stream(), int(declared[:19]))
    attributes = Attributes(kind) if _CONTENT_TYPE.fullmatch(kind) else Attributes()
    account_id = access.account.account_id
    return _shown(await contents.put(account_id, key=key, incoming=incoming, attributes=attributes))


@router.get("/content", response_class=StreamingResponse, responses={200: {"content": _BYTES}})
async def get_s3_object(access: Reader, contents: BucketContentsDep, key: Key) -> StreamingResponse:
    found = await contents.find(access.account.account_id, checked_key(key))
    pieces = await contents.read(found, ByteRange(0, found.info.size))
    name = quote(_name(key), safe="")
    headers = {
        "Content-Disposition": f"attachment; filename*=UTF-8''{name}",
        "Content-Length": str(found.info.size),
        "ETag": f'"{found.info.etag}"',
    }
    return StreamingResponse(pieces, media_type="application/octet-stream", headers=headers)


@router.post("/delete")
async def delete_s3_objects(body: S3DeleteData, access: Writer, contents: BucketContentsDep) -> S3DeletedData:
    """Deletes objects, and folders up to 20,000 objects in one request: with `more`, send it again.

    Missing objects are no error.
    """
    account_id, more = access.account.account_id, False
    deleted = await contents.delete(account_id, body.keys) if body.keys else 0
    for prefix in body.prefixes:
        count, more = await contents.delete_below(account_id, prefix, most=max(1, _MOST_DELETED - deleted))
        deleted += count
        if more:
            break
    return S3DeletedData(deleted=deleted, more=more)


@admin_router.post("/delete-empty-users", dependencies=[Depends(Superadmin())])
async def delete_empty_minio_users(
    contents: BucketContentsDep,
    count: Annotated[int, Query(ge=1, le=1000)],
    dry_run: Annotated[bool, Query(alias="dryRun")],
) -> EmptyUsersResponse:
    """Deletes up to `count` buckets without content, with their keys. Their accounts get new ones at the next use."""
    empty, kept = await contents.delete_empty_buckets(count, dry_run=dry_run)
    return EmptyUsersResponse(empty=list(empty), with_content=list(kept))


def _name(key: str) -> str:
    """Returns the end of the key of an object or folder."""
    return key.rstrip("/").rsplit("/", 1)[-1]


def _shown(info: ObjectInfo) -> S3ObjectData:
    return S3ObjectData(
        key=info.key,
        name=_name(info.key),
        size=info.size,
        modified=info.modified,
        etag=info.etag,
        content_type=info.attributes.content_type,
    )
