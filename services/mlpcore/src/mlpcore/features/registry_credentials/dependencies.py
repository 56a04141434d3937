from typing import Annotated

from fastapi import Depends

from mlpcore.features.registry_credentials.repository import RegistryCredentialRepository
from mlpcore.features.registry_credentials.service import RegistryCredentialService
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def registry_credential_service(session: SessionDep, state: StateDep) -> RegistryCredentialService:
    return RegistryCredentialService(
        repository=RegistryCredentialRepository(session),
        vault=state.vault,
        clock=state.clock,
        most=state.settings.registry_credentials_per_account,
    )


RegistryCredentialServiceDep = Annotated[RegistryCredentialService, Depends(registry_credential_service)]
