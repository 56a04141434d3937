"""Builds the feature's objects for one session."""

from typing import Annotated

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.dependencies import account_service_of
from mlpcore.features.instances.launching.creation import InstanceFactory
from mlpcore.features.instances.launching.external import ExternalService
from mlpcore.features.instances.launching.launch import Environments
from mlpcore.features.instances.lifecycle.history import EventHistory, OutputHistory
from mlpcore.features.instances.lifecycle.runs import Runs
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.limits import InstanceLimits
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository, RequestRepository
from mlpcore.features.instances.scaling import Scaling
from mlpcore.features.instances.service import InstanceService
from mlpcore.features.instances.tasks import InstanceTasks
from mlpcore.features.models.settings.hidden import HiddenSettings
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.servers.repository import ServerRepository
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.features.tasks.dependencies import task_reader_of, tasks_of
from mlpcore.state import CoreState, StateDep
from mlplace_kit.clock import Clock
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.web.dependencies import SessionDep


def lifecycle_of(session: AsyncSession, clock: Clock) -> Lifecycle:
    return Lifecycle(
        InstanceRepository(session),
        EventHistory(session),
        stat_logs_of(session),
        Outbox(session, clock),
        notifier_of(session, clock),
        clock,
    )


def runs_of(session: AsyncSession, clock: Clock) -> Runs:
    return Runs(ConnectionRepository(session), EventHistory(session), lifecycle_of(session, clock), clock)


def instance_tasks_of(session: AsyncSession, clock: Clock) -> InstanceTasks:
    return InstanceTasks(tasks_of(session, clock))


def factory_of(session: AsyncSession, state: CoreState) -> InstanceFactory:
    lifecycle = lifecycle_of(session, state.clock)
    return InstanceFactory(InstanceRepository(session), lifecycle, state.hasher, state.vault, state.clock)


def environments_of(session: AsyncSession, state: CoreState) -> Environments:
    return Environments(factory_of(session, state), HiddenSettings(state.vault))


def limits_of(session: AsyncSession, state: CoreState) -> InstanceLimits:
    return InstanceLimits(account_service_of(session, state), InstanceRepository(session))


def scaling_of(session: AsyncSession, state: CoreState) -> Scaling:
    return Scaling(
        InstanceRepository(session),
        RequestRepository(session),
        ConnectionRepository(session),
        ServerRepository(session),
        ResourceGroupRepository(session),
        limits_of(session, state),
        lifecycle_of(session, state.clock),
        factory_of(session, state),
        stat_logs_of(session),
        instance_tasks_of(session, state.clock),
        state.ports.license_policy(session, state),
        state.clock,
    )


def instance_service(session: SessionDep, state: StateDep) -> InstanceService:
    return InstanceService(
        instances=InstanceRepository(session),
        requests=RequestRepository(session),
        connections=ConnectionRepository(session),
        servers=ServerRepository(session),
        events=EventHistory(session),
        output=OutputHistory(session),
        lifecycle=lifecycle_of(session, state.clock),
        environments=environments_of(session, state),
        scaling=scaling_of(session, state),
        tasks=instance_tasks_of(session, state.clock),
        task_reader=task_reader_of(session),
        settings=state.settings,
        clock=state.clock,
    )


def external_service(session: SessionDep, state: StateDep) -> ExternalService:
    return ExternalService(
        instances=InstanceRepository(session),
        connections=ConnectionRepository(session),
        lifecycle=lifecycle_of(session, state.clock),
        factory=factory_of(session, state),
        environments=environments_of(session, state),
        limits=limits_of(session, state),
        settings=state.settings,
    )


def scaling(session: SessionDep, state: StateDep) -> Scaling:
    return scaling_of(session, state)


InstanceServiceDep = Annotated[InstanceService, Depends(instance_service)]
ExternalServiceDep = Annotated[ExternalService, Depends(external_service)]
ScalingDep = Annotated[Scaling, Depends(scaling)]
