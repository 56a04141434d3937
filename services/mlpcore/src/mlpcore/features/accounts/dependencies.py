"""Builds the feature's objects for one session."""

from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.change_log import ChangeLog
from mlpcore.features.accounts.change_repository import ChangeRepository
from mlpcore.features.accounts.directory import AccountsOfSession
from mlpcore.features.accounts.repository import AccountRepository
from mlpcore.features.accounts.service import AccountService, FeatureGate
from mlpcore.features.accounts.time_zones import TimeZones
from mlpcore.features.activity.repository import ActivityRepository
from mlpcore.state import CoreState, StateDep
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.web.dependencies import SessionDep


def account_service_of(session: AsyncSession, state: CoreState) -> AccountService:
    return AccountService(
        AccountRepository(session),
        ActivityRepository(session),
        ChangeLog(ChangeRepository(session), state.clock),
        Outbox(session, state.clock),
        state.clock,
        state.settings.open_registration_features,
        state.settings.zone.key,
        state.ports.service_zones(session),
    )


def accounts_of(session: AsyncSession) -> AccountsOfSession:
    return AccountsOfSession(AccountRepository(session))


def time_zones_of(session: AsyncSession, state: CoreState) -> TimeZones:
    return TimeZones(AccountRepository(session), state.settings.zone)


def account_service(session: SessionDep, state: StateDep) -> AccountService:
    return account_service_of(session, state)


def feature_gate(session: SessionDep) -> FeatureGate:
    return FeatureGate(AccountRepository(session))


AccountServiceDep = Annotated[AccountService, Depends(account_service)]
FeatureGateDep = Annotated[FeatureGate, Depends(feature_gate)]
