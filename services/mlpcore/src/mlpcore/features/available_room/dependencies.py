from typing import Annotated

from fastapi import Depends

from mlpcore.features.available_room.service import AvailableRoom
from mlpcore.features.instances.dependencies import limits_of
from mlpcore.features.placement.allocations import Allocations
from mlpcore.features.placement.needs_repository import NeedsRepository
from mlpcore.features.resource_groups.repository import ResourceGroupRepository
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def available_room(session: SessionDep, state: StateDep) -> AvailableRoom:
    return AvailableRoom(
        ResourceGroupRepository(session),
        Allocations(session),
        NeedsRepository(session),
        limits_of(session, state),
        state.clock,
    )


AvailableRoomDep = Annotated[AvailableRoom, Depends(available_room)]
