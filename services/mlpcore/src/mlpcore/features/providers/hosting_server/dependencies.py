from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.providers.dependencies import turn_of
from mlpcore.features.providers.hosting_server.service import EnrolmentService, HeartbeatService
from mlpcore.features.servers.repository import ServerRepository
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def enrolment_service(session: SessionDep, state: StateDep) -> EnrolmentService:
    return EnrolmentService(ServerRepository(session), state.hasher, state.clock)


# FastAPI runs what is not async in a thread, which takes longer than these.
async def heartbeat_service(session: SessionDep, state: StateDep) -> HeartbeatService:
    return HeartbeatService(
        ServerRepository(session), accounts_of(session), turn_of(session, state), state.settings, state.hasher
    )


EnrolmentServiceDep = Annotated[EnrolmentService, Depends(enrolment_service)]
HeartbeatServiceDep = Annotated[HeartbeatService, Depends(heartbeat_service)]
