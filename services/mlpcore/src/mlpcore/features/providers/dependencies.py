"""Builds what all providers share, for one session."""

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.buckets.dependencies import instance_credentials_of
from mlpcore.features.data_images.repository import DataImageRepository
from mlpcore.features.instances.dependencies import environments_of, lifecycle_of, runs_of
from mlpcore.features.instances.launching.orders import Orders
from mlpcore.features.instances.lifecycle.gpu_comparison import GpuComparison
from mlpcore.features.instances.lifecycle.history import OutputHistory
from mlpcore.features.instances.lifecycle.observing import Observing
from mlpcore.features.instances.lifecycle.refused import RefusedInstances
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository
from mlpcore.features.instances.room_repository import RoomRepository
from mlpcore.features.metrics.dependencies import server_samples_of
from mlpcore.features.placement.allocations import Allocations
from mlpcore.features.providers.turn import Turn
from mlpcore.features.registry_credentials.answers import RegistryLogins
from mlpcore.features.secrets.answers import SecretValues
from mlpcore.features.servers.repository import ServerRepository
from mlpcore.state import CoreState


def orders_of(session: AsyncSession, state: CoreState) -> Orders:
    return Orders(
        instances=InstanceRepository(session),
        rooms=RoomRepository(session),
        connections=ConnectionRepository(session),
        environments=environments_of(session, state),
        data_images=DataImageRepository(session),
        secrets=SecretValues(session, state.vault),
        logins=RegistryLogins(session, state.vault),
        storage=instance_credentials_of(state, session),
        settings=state.settings,
        clock=state.clock,
    )


def turn_of(session: AsyncSession, state: CoreState) -> Turn:
    instances, lifecycle = InstanceRepository(session), lifecycle_of(session, state.clock)
    rooms, connections = RoomRepository(session), ConnectionRepository(session)
    return Turn(
        servers=ServerRepository(session),
        instances=instances,
        observing=Observing(runs_of(session, state.clock), OutputHistory(session), lifecycle, connections),
        samples=server_samples_of(session, state),
        refused=RefusedInstances(instances, lifecycle, state.clock),
        gpus=GpuComparison(instances, rooms, Allocations(session), lifecycle, state.clock),
        orders=orders_of(session, state),
        clock=state.clock,
    )
