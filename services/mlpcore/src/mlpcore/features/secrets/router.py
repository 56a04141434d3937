from typing import Annotated

from fastapi import APIRouter, Depends, Response

from mlpcore.features.secrets.dependencies import SecretServiceDep
from mlpcore.features.secrets.schemas import SecretCreateData, SecretData, SecretReplaceData
from mlpcore.paths import ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}/secret", tags=["secret-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ, narrows=True))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER, narrows=True))]


@router.get("")
async def list_secrets(access: Reader, service: SecretServiceDep) -> list[SecretData]:
    """Returns the names of secrets and the models that use them. No route returns a value."""
    return await service.listed(access=access)


@router.post("")
async def create_secret(body: SecretCreateData, access: Writer, service: SecretServiceDep) -> SecretData:
    return await service.create(access=access, data=body)


@router.post("/{secretId}")
async def replace_secret(
    secretId: ObjectId,  # noqa: N803  the name on the wire
    body: SecretReplaceData,
    access: Writer,
    service: SecretServiceDep,
) -> SecretData:
    """Replaces the value. Running instances keep the old value until their next start."""
    return await service.replace(access=access, secret_id=secretId, data=body)


@router.delete("/{secretId}", response_class=Response)
async def delete_secret(
    secretId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    service: SecretServiceDep,
) -> Response:
    await service.delete(access=access, secret_id=secretId)
    return Response()
