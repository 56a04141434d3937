from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.dependencies import account_service_of
from mlpcore.features.models.dependencies import OwnedModelsDep
from mlpcore.features.secrets.repository import SecretRepository
from mlpcore.features.secrets.service import SecretService
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def secret_service(session: SessionDep, state: StateDep, models: OwnedModelsDep) -> SecretService:
    return SecretService(
        repository=SecretRepository(session),
        models=models,
        accounts=account_service_of(session, state),
        vault=state.vault,
        clock=state.clock,
        most=state.settings.secrets_per_account,
    )


SecretServiceDep = Annotated[SecretService, Depends(secret_service)]
