"""Builds the feature's objects for one session."""

import asyncio
from collections.abc import AsyncGenerator
from typing import Annotated

from fastapi import Depends, Request
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.callers import known_caller
from mlpcore.errors import TooManyChanges
from mlpcore.features.accounts.dependencies import account_service_of
from mlpcore.features.buckets.dependencies import instance_credentials_of
from mlpcore.features.buckets.instance_repository import InstanceCredentialRepository
from mlpcore.features.instances.desired.scaling import Scaling
from mlpcore.features.instances.desired.start_answers import StartAnswers
from mlpcore.features.instances.launching.creation import InstanceFactory
from mlpcore.features.instances.launching.external import ExternalService
from mlpcore.features.instances.launching.launch import Environments
from mlpcore.features.instances.lifecycle.history import EventHistory, OutputHistory
from mlpcore.features.instances.lifecycle.runs import Runs
from mlpcore.features.instances.lifecycle.transitions import Lifecycle
from mlpcore.features.instances.limits import InstanceLimits
from mlpcore.features.instances.replacement.exchange_repository import ExchangeRepository
from mlpcore.features.instances.replacement.exchanging import Exchanging
from mlpcore.features.instances.replacement.replacing import Replacing
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository
from mlpcore.features.instances.request_repository import RequestRepository
from mlpcore.features.instances.scheduling.convergence import Convergence
from mlpcore.features.instances.scheduling.evicting import Evictor
from mlpcore.features.instances.scheduling.eviction_repository import EvictionRepository
from mlpcore.features.instances.scheduling.placing import Placing
from mlpcore.features.instances.scheduling.scheduler import Scheduler
from mlpcore.features.instances.scheduling.waiting_repository import WaitingRepository
from mlpcore.features.instances.service import InstanceService
from mlpcore.features.instances.single import SingleInstances
from mlpcore.features.instances.tasks import InstanceTasks
from mlpcore.features.models.settings.hidden import HiddenSettings
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.placement.allocations import Allocations
from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.scaling_rules.dependencies import scaling_history_of, scaling_rules_of
from mlpcore.features.servers.repository import ServerRepository
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.features.tasks.dependencies import task_reader_of, tasks_of
from mlpcore.state import CoreState, StateDep
from mlplace_kit.clock import Clock
from mlplace_kit.errors import DomainError
from mlplace_kit.names import parse_ref
from mlplace_runtime.db.outbox import Outbox
from mlplace_runtime.failures import is_held_by_another
from mlplace_runtime.web.dependencies import SessionDep
from mlplace_runtime.web.policy import AccountPath, Policy


def lifecycle_of(session: AsyncSession, clock: Clock) -> Lifecycle:
    return Lifecycle(
        InstanceRepository(session),
        Allocations(session),
        InstanceCredentialRepository(session),
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


def requests_of(session: AsyncSession) -> RequestRepository:
    return RequestRepository(session)


def instances_of(session: AsyncSession) -> InstanceRepository:
    return InstanceRepository(session)


def connections_of(session: AsyncSession) -> ConnectionRepository:
    return ConnectionRepository(session)


def servers_of(session: AsyncSession) -> ServerRepository:
    return ServerRepository(session)


def limits_of(session: AsyncSession, state: CoreState) -> InstanceLimits:
    return InstanceLimits(account_service_of(session, state), InstanceRepository(session), Allocations(session))


def scheduler_of(session: AsyncSession, state: CoreState) -> Scheduler:
    return Scheduler(
        WaitingRepository(session),
        Allocations(session),
        limits_of(session, state),
        Placing(session, EventHistory(session), stat_logs_of(session), state.clock),
        evictor_of(session, state),
        state.clock,
    )


def evictor_of(session: AsyncSession, state: CoreState) -> Evictor:
    tasks = instance_tasks_of(session, state.clock)
    lifecycle = lifecycle_of(session, state.clock)
    return Evictor(EvictionRepository(session), lifecycle, tasks, scaling_rules_of(session, state), state.clock)


def convergence_of(session: AsyncSession, state: CoreState) -> Convergence:
    return Convergence(
        InstanceRepository(session),
        RequestRepository(session),
        ConnectionRepository(session),
        scheduler_of(session, state),
        ResourceGroupRepository(session),
        limits_of(session, state),
        lifecycle_of(session, state.clock),
        factory_of(session, state),
    )


def exchanging_of(session: AsyncSession, state: CoreState) -> Exchanging:
    tasks = instance_tasks_of(session, state.clock)
    return Exchanging(ExchangeRepository(session), convergence_of(session, state), tasks)


def replacing_of(session: AsyncSession, state: CoreState) -> Replacing:
    return Replacing(
        ExchangeRepository(session),
        InstanceRepository(session),
        ConnectionRepository(session),
        convergence_of(session, state),
        lifecycle_of(session, state.clock),
    )


def scaling_of(session: AsyncSession, state: CoreState) -> Scaling:
    return Scaling(
        RequestRepository(session),
        convergence_of(session, state),
        stat_logs_of(session),
        instance_tasks_of(session, state.clock),
        state.ports.license_policy(session, state),
        scaling_history_of(session, state.clock),
        scaling_rules_of(session, state),
        state.clock,
    )


def single_instances_of(session: AsyncSession, state: CoreState) -> SingleInstances:
    return SingleInstances(
        instances=InstanceRepository(session),
        requests=RequestRepository(session),
        limits=limits_of(session, state),
        convergence=convergence_of(session, state),
        scheduler=scheduler_of(session, state),
        factory=factory_of(session, state),
        lifecycle=lifecycle_of(session, state.clock),
        license_policy=state.ports.license_policy(session, state),
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
        storage=instance_credentials_of(state, session),
        convergence=convergence_of(session, state),
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
        storage=instance_credentials_of(state, session),
        settings=state.settings,
    )


def exchanging(session: SessionDep, state: StateDep) -> Exchanging:
    return exchanging_of(session, state)


def scaling(session: SessionDep, state: StateDep) -> Scaling:
    return scaling_of(session, state)


async def change_turn(request: Request, account: AccountPath, state: StateDep) -> AsyncGenerator[None]:
    """Lets changes of an account's instances wait for each other. Take it after the policy and before a session.

    Raises TooManyChanges, also if other processes have kept a lock that the change needs.
    """
    principal = await Policy.principal(request)
    grant = principal.grant_for(parse_ref(account))
    caller = f"account:{grant.account_id}" if grant else known_caller(principal)
    try:
        async with state.change_turns.turn(caller, lambda: _disconnected(request)):
            yield
    except DBAPIError as error:
        if not is_held_by_another(error):
            raise
        raise TooManyChanges from error  # the changes of another process, and not an outage of the database


async def _disconnected(request: Request) -> None:
    """Returns when the caller has disconnected. The framework has read the body, or no route needs it."""
    try:
        while (await request.receive())["type"] != "http.disconnect":
            pass
    except DomainError:  # the body is too large; its connection is closed with the answer
        await asyncio.Event().wait()


def start_answers(state: StateDep) -> StartAnswers:
    return StartAnswers(state)


ChangeTurn = Annotated[None, Depends(change_turn, scope="function")]
StartAnswersDep = Annotated[StartAnswers, Depends(start_answers)]
InstanceServiceDep = Annotated[InstanceService, Depends(instance_service)]
ExternalServiceDep = Annotated[ExternalService, Depends(external_service)]
ScalingDep = Annotated[Scaling, Depends(scaling)]
ExchangingDep = Annotated[Exchanging, Depends(exchanging)]
