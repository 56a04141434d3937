from typing import Annotated

from fastapi import Depends

from mlpcore.features.team_requests.repository import TeamRequestRepository
from mlpcore.features.team_requests.service import TeamRequestService
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def team_request_service(session: SessionDep, state: StateDep) -> TeamRequestService:
    mails = state.settings.mails_to_the_team
    return TeamRequestService(TeamRequestRepository(session), state.hasher, state.clock, mails=mails)


TeamRequestServiceDep = Annotated[TeamRequestService, Depends(team_request_service)]
