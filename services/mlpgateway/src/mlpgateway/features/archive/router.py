"""Routes for owners: lists, reads and deletes the archived requests of a model."""

import uuid
from typing import Annotated

from fastapi import APIRouter, Depends, Response

from mlpgateway.features.archive.schemas import ArchivedRequestData, ArchivedRequestList
from mlpgateway.features.archive.service import Archive
from mlpgateway.paths import ModelPath
from mlpgateway.state import provided
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.dependencies import PageDep
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpgateway/account/{account}/model/{model}", tags=["archive"])
Owner = Annotated[Access, Depends(Member(KeyPermission.READ, role=Role.DEVELOPER))]

Deleter = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


ArchiveDep = Annotated[Archive, Depends(provided(Archive))]


@router.get("/archive")
async def list_archived_requests(
    model: ModelPath, access: Owner, archive: ArchiveDep, page: PageDep
) -> ArchivedRequestList:
    """Lists the newest first."""
    return await archive.page(access, model, page)


@router.delete("/archive", status_code=204)
async def delete_archived_requests(model: ModelPath, access: Deleter, archive: ArchiveDep) -> None:
    """Deletes all archived requests of the model. Their storage is free again within seconds."""
    await archive.delete(access, model)


@router.delete("/archive/{recordId}", status_code=204)
async def delete_archived_request(
    model: ModelPath,
    recordId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Deleter,
    archive: ArchiveDep,
) -> None:
    await archive.delete(access, model, recordId)


@router.get("/archive/{recordId}")
async def get_archived_request(
    model: ModelPath,
    recordId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Owner,
    archive: ArchiveDep,
) -> ArchivedRequestData:
    return await archive.read(access, model, recordId)


@router.get("/archive/{recordId}/content", response_class=Response)
async def get_archived_content(
    model: ModelPath,
    recordId: uuid.UUID,  # noqa: N803  the name on the wire
    access: Owner,
    archive: ArchiveDep,
) -> Response:
    """Returns request and answer as JSON, or as compact JWE (RFC 7516) when they are encrypted with the owner's key."""
    content, encrypted = await archive.content(access, model, recordId)
    media_type, ending = ("application/jose", "jwe") if encrypted else ("application/json", "json")
    disposition = {"Content-Disposition": f'attachment; filename="{recordId}.{ending}"'}
    return Response(content, media_type=media_type, headers=disposition)
