from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.data_images.repository import DataImageRepository
from mlpcore.features.hosting.comparing import GpuComparison
from mlpcore.features.hosting.refused import RefusedInstances
from mlpcore.features.hosting.repository import RoomRepository
from mlpcore.features.hosting.service import EnrolmentService, HeartbeatService
from mlpcore.features.instances.dependencies import environments_of, lifecycle_of, runs_of
from mlpcore.features.instances.lifecycle.history import OutputHistory
from mlpcore.features.instances.repository import ConnectionRepository, InstanceRepository
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
    instances, rooms = InstanceRepository(session), RoomRepository(session)
    lifecycle = lifecycle_of(session, state.clock)
    return HeartbeatService(
        servers=ServerRepository(session),
        accounts=accounts_of(session),
        instances=instances,
        rooms=rooms,
        gpus=GpuComparison(instances, rooms, Allocations(session), lifecycle, state.clock),
        refused=RefusedInstances(instances, lifecycle, state.clock),
        data_images=DataImageRepository(session),
        connections=ConnectionRepository(session),
        output=OutputHistory(session),
        lifecycle=lifecycle,
        runs=runs_of(session, state.clock),
        environments=environments_of(session, state),
        secrets=SecretValues(session, state.vault),
        logins=RegistryLogins(session, state.vault),
        samples=server_samples_of(session, state),
        settings=state.settings,
        hasher=state.hasher,
        clock=state.clock,
    )


EnrolmentServiceDep = Annotated[EnrolmentService, Depends(enrolment_service)]
HeartbeatServiceDep = Annotated[HeartbeatService, Depends(heartbeat_service)]
