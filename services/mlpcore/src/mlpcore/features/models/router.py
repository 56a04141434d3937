"""Routes of one model: create, read, change, delete; its settings and documents."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request, Response
from fastapi.responses import PlainTextResponse

from mlpcore.features.models.dependencies import (
    DocumentServiceDep,
    ModelReaderDep,
    ModelServiceDep,
    PublishingServiceDep,
)
from mlpcore.features.models.reading.viewer import Viewer
from mlpcore.features.models.schemas import (
    ModelBillingSettingsData,
    ModelCreateUpdateData,
    ModelInfoData,
    ModelPublicSettingsData,
    ServiceDescriptorData,
)
from mlpcore.features.models.settings.blocks import ModelArchiveSettingsData, ModelHttpSettingsData
from mlpcore.paths import ModelPath
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_kit.errors import MalformedRequest, ValidationFailed
from mlplace_kit.names import PathRef, parse_ref
from mlplace_kit.violations import broken
from mlplace_runtime.web.policy import Access, AccountPath, Member, Public, SignedIn

MAX_DOC = 256 * 1024

router = APIRouter(prefix="/api/mlpcore/account/{account}", tags=["model-endpoint"])
Visitor = Annotated[Access, Depends(Public())]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


def _account(access: Access) -> PathRef:
    return PathRef(id=access.account.account_id, name=None)


@router.post("/model")
async def create_model(
    body: ModelCreateUpdateData, access: Writer, service: ModelServiceDep, reader: ModelReaderDep
) -> ModelInfoData:
    made = await service.create(access=access, data=body)
    return await reader.read(account=_account(access), model=made, viewer=Viewer.of_own_change(access.principal))


@router.get("/model/{model}")
async def get_model_info(
    account: AccountPath, model: ModelPath, access: Visitor, reader: ModelReaderDep
) -> ModelInfoData:
    viewer = Viewer.of(access.principal)
    return await reader.read(account=parse_ref(account), model=parse_ref(model), viewer=viewer)


@router.post("/model/{model}")
async def update_model(
    model: ModelPath,
    body: ModelCreateUpdateData,
    access: Writer,
    service: ModelServiceDep,
    reader: ModelReaderDep,
) -> ModelInfoData:
    changed = await service.update(access=access, model=model, data=body)
    return await reader.read(account=_account(access), model=changed, viewer=Viewer.of_own_change(access.principal))


@router.delete("/model/{model}", response_class=Response)
async def delete_model(model: ModelPath, access: Writer, service: ModelServiceDep) -> Response:
    await service.delete(access=access, model=model)
    return Response()


@router.get("/model/{model}/public-settings")
async def get_model_public_settings(
    account: AccountPath, model: ModelPath, access: Visitor, service: DocumentServiceDep
) -> ModelPublicSettingsData:
    viewer = Viewer.of(access.principal)
    return await service.publicity(account=parse_ref(account), model=parse_ref(model), viewer=viewer)


@router.post("/model/{model}/public-settings")
async def update_model_public_settings(
    model: ModelPath, body: ModelPublicSettingsData, access: Writer, service: PublishingServiceDep
) -> ModelPublicSettingsData:
    return await service.set_publicity(access=access, model=model, data=body)


@router.get("/model/{model}/billing")
async def get_model_billing_settings(
    account: AccountPath, model: ModelPath, access: Visitor, service: DocumentServiceDep
) -> ModelBillingSettingsData:
    viewer = Viewer.of(access.principal)
    return await service.billing(account=parse_ref(account), model=parse_ref(model), viewer=viewer)


@router.post("/model/{model}/billing")
async def update_model_billing_settings(
    model: ModelPath, body: ModelBillingSettingsData, access: Writer, service: PublishingServiceDep
) -> ModelBillingSettingsData:
    return await service.set_billing(access=access, model=model, data=body)


@router.post("/model/{model}/archive")
async def update_model_archive_settings(
    model: ModelPath, body: ModelArchiveSettingsData, access: Writer, service: ModelServiceDep
) -> ModelArchiveSettingsData:
    return await service.set_archive(access=access, model=model, data=body)


@router.post("/model/{model}/http")
async def update_model_http_settings(
    model: ModelPath, body: ModelHttpSettingsData, access: Writer, service: ModelServiceDep
) -> ModelHttpSettingsData:
    return await service.set_http(access=access, model=model, data=body)


@router.post("/model/{model}/favorite", response_class=Response)
async def set_favorite(
    account: AccountPath,
    model: ModelPath,
    body: Annotated[bool, Body(strict=True)],
    access: Annotated[Access, Depends(SignedIn())],
    service: DocumentServiceDep,
) -> Response:
    viewer = Viewer.of(access.principal)
    await service.set_favorite(account=parse_ref(account), model=parse_ref(model), viewer=viewer, favorite=body)
    return Response()


@router.get("/model/{model}/simple-doc", response_class=PlainTextResponse)
async def get_simple_doc(
    account: AccountPath, model: ModelPath, access: Visitor, service: DocumentServiceDep
) -> PlainTextResponse:
    viewer = Viewer.of(access.principal)
    text = await service.simple_doc(account=parse_ref(account), model=parse_ref(model), viewer=viewer)
    return PlainTextResponse(text)


@router.post(
    "/model/{model}/simple-doc",
    response_class=PlainTextResponse,
    openapi_extra={"requestBody": {"content": {"text/plain": {"schema": {"type": "string"}}}, "required": True}},
)
async def update_simple_doc(
    request: Request, model: ModelPath, access: Writer, service: DocumentServiceDep
) -> PlainTextResponse:
    text = _text_of(await request.body())
    return PlainTextResponse(await service.set_simple_doc(access=access, model=model, text=text))


@router.get("/model/{model}/action-descriptor")
async def get_service_descriptor(
    account: AccountPath, model: ModelPath, access: Visitor, service: DocumentServiceDep
) -> ServiceDescriptorData:
    viewer = Viewer.of(access.principal)
    return await service.descriptor(account=parse_ref(account), model=parse_ref(model), viewer=viewer)


@router.post("/model/{model}/service-descriptor", response_class=Response)
async def update_service_descriptor(
    model: ModelPath, body: ServiceDescriptorData, access: Writer, service: DocumentServiceDep
) -> Response:
    await service.set_descriptor(access=access, model=model, data=body)
    return Response()


def _text_of(body: bytes) -> str:
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise MalformedRequest(reason="not UTF-8") from error
    if "\x00" in text or len(text) > MAX_DOC:
        raise ValidationFailed(
            {
                "body": broken(
                    "too_long",
                    message=f"must have at most {MAX_DOC} characters and no NUL character",
                    max=str(MAX_DOC),
                )
            }
        )
    return text
