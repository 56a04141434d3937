from typing import Annotated

from fastapi import Depends

from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.servers.repository import ServerRepository
from mlpcore.features.servers.service import ServerService
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def server_service(session: SessionDep, state: StateDep) -> ServerService:
    return ServerService(
        ServerRepository(session),
        ResourceGroupRepository(session),
        state.ports.server_templates(session),
        state.ports.server_users(session),
        stat_logs_of(session),
        state.hasher,
        state.clock,
    )


ServerServiceDep = Annotated[ServerService, Depends(server_service)]
