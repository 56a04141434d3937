from typing import Annotated

from fastapi import Depends

from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.resource_groups.service import ResourceGroupService
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def group_service(session: SessionDep, state: StateDep) -> ResourceGroupService:
    return ResourceGroupService(
        ResourceGroupRepository(session),
        state.ports.group_types,
        state.ports.group_users(session),
        stat_logs_of(session),
        state.clock,
    )


GroupServiceDep = Annotated[ResourceGroupService, Depends(group_service)]
