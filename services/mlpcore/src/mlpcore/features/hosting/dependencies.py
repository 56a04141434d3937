from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.data_images.repository import DataImageRepository
from mlpcore.features.hosting.service import EnrolmentService, HeartbeatService
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
from mlpcore.features.registry_credentials.answers import RegistryLogins
from mlpcore.features.secrets.answers import SecretValues
from mlpcore.features.servers.repository import ServerRepository
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def enrolment_service(session: SessionDep, state: StateDep) -> EnrolmentService:
    return EnrolmentService(ServerRepository(session), state.hasher, state.clock)


# FastAPI runs what is not async in a thread, which takes longer than these.
async def heartbeat_service(session: SessionDep, state: StateDep) -> HeartbeatService:
    instances, rooms, connections = InstanceRepository(session), RoomRepository(session), ConnectionRepository(session)
    lifecycle = lifecycle_of(session, state.clock)
    return HeartbeatService(
        servers=ServerRepository(session),
        accounts=accounts_of(session),
        instances=instances,
        observing=Observing(runs_of(session, state.clock), OutputHistory(session), lifecycle, connections),
        samples=server_samples_of(session, state),
        refused=RefusedInstances(instances, lifecycle, state.clock),
        gpus=GpuComparison(instances, rooms, Allocations(session), lifecycle, state.clock),
        orders=Orders(
            instances=instances,
            rooms=rooms,
            connections=connections,
            environments=environments_of(session, state),
            data_images=DataImageRepository(session),
            secrets=SecretValues(session, state.vault),
            logins=RegistryLogins(session, state.vault),
            settings=state.settings,
            clock=state.clock,
        ),
        settings=state.settings,
        hasher=state.hasher,
        clock=state.clock,
    )


EnrolmentServiceDep = Annotated[EnrolmentService, Depends(enrolment_service)]
HeartbeatServiceDep = Annotated[HeartbeatService, Depends(heartbeat_service)]
