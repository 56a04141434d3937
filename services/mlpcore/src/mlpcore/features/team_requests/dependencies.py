from typing import Annotated

from fastapi import Depends

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.notifications.dependencies import notifier_of
from mlpcore.features.team_requests.answering import Answers
from mlpcore.features.team_requests.repository import TeamRequestRepository
from mlpcore.features.team_requests.service import TeamRequestService
from mlpcore.state import StateDep
from mlplace_runtime.web.dependencies import SessionDep


def team_request_service(session: SessionDep, state: StateDep) -> TeamRequestService:
    return TeamRequestService(
        TeamRequestRepository(session),
        Answers(session, notifier_of(session, state.clock), accounts_of(session), state.mails),
        state.hasher,
        state.clock,
        mails=bool(state.settings.team_mail and state.mailer),
        per_hour=state.settings.team_requests_per_hour,
    )


TeamRequestServiceDep = Annotated[TeamRequestService, Depends(team_request_service)]
