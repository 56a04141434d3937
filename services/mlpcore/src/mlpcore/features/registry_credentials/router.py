from typing import Annotated

from fastapi import APIRouter, Depends, Response

from mlpcore.features.registry_credentials.dependencies import RegistryCredentialServiceDep
from mlpcore.features.registry_credentials.schemas import (
    RegistryCredentialCreateData,
    RegistryCredentialData,
    RegistryCredentialReplaceData,
)
from mlpcore.paths import ObjectId
from mlplace_contracts.enums import KeyPermission, Role
from mlplace_runtime.web.policy import Access, Member

router = APIRouter(prefix="/api/mlpcore/account/{account}/registry-credential", tags=["registry-credential-endpoint"])
Reader = Annotated[Access, Depends(Member(KeyPermission.READ))]
Writer = Annotated[Access, Depends(Member(KeyPermission.WRITE, role=Role.DEVELOPER))]


@router.get("")
async def list_registry_credentials(
    access: Reader, service: RegistryCredentialServiceDep
) -> list[RegistryCredentialData]:
    """Returns the account's registries and user names. No route returns a password."""
    return await service.listed(access=access)


@router.post("")
async def create_registry_credential(
    body: RegistryCredentialCreateData, access: Writer, service: RegistryCredentialServiceDep
) -> RegistryCredentialData:
    return await service.create(access=access, data=body)


@router.post("/{credentialId}")
async def replace_registry_credential(
    credentialId: ObjectId,  # noqa: N803  the name on the wire
    body: RegistryCredentialReplaceData,
    access: Writer,
    service: RegistryCredentialServiceDep,
) -> RegistryCredentialData:
    """Replaces user name and password. Instances that servers have got keep the old ones until they are replaced."""
    return await service.replace(access=access, credential_id=credentialId, data=body)


@router.delete("/{credentialId}", response_class=Response)
async def delete_registry_credential(
    credentialId: ObjectId,  # noqa: N803  the name on the wire
    access: Writer,
    service: RegistryCredentialServiceDep,
) -> Response:
    await service.delete(access=access, credential_id=credentialId)
    return Response()
