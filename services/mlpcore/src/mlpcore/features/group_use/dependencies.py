from typing import Annotated

from fastapi import Depends

from mlpcore.features.group_use.logs import GroupLogs
from mlpcore.features.group_use.repository import GroupUseRepository
from mlpcore.features.group_use.service import GroupUseService
from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.features.stat_logs.dependencies import stat_logs_of
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def group_use(session: SessionDep, state: StateDep) -> GroupUseService:
    return GroupUseService(
        GroupUseRepository(session),
        ResourceGroupRepository(session),
        state.ports.model_states(session, state.clock),
        state.clock,
    )


GroupUseDep = Annotated[GroupUseService, Depends(group_use)]


def group_logs(session: SessionDep, state: StateDep) -> GroupLogs:
    return GroupLogs(ResourceGroupRepository(session), stat_logs_of(session), state.clock)


GroupLogsDep = Annotated[GroupLogs, Depends(group_logs)]
