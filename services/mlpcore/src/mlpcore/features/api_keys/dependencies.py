"""Builds the feature's objects for one session."""

from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.repository import AccountRepository
from mlpcore.features.api_keys.repository import ApiKeyRepository
from mlpcore.features.api_keys.resolving import KeyResolver
from mlpcore.features.api_keys.service import ApiKeyService
from mlpcore.features.models.repository import ModelRepository
from mlpcore.state import CoreState, StateDep
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.web.dependencies import SessionDep


def key_resolver_of(session: AsyncSession, state: CoreState) -> KeyResolver:
    return KeyResolver(ApiKeyRepository(session), AccountRepository(session), state.hasher, state.clock)


def api_key_service(session: SessionDep, state: StateDep) -> ApiKeyService:
    return ApiKeyService(
        repository=ApiKeyRepository(session),
        models=ModelRepository(session),
        hasher=state.hasher,
        outbox=Outbox(session, state.clock),
        clock=state.clock,
    )


def key_resolver(session: SessionDep, state: StateDep) -> KeyResolver:
    return key_resolver_of(session, state)


ApiKeyServiceDep = Annotated[ApiKeyService, Depends(api_key_service)]
KeyResolverDep = Annotated[KeyResolver, Depends(key_resolver)]
