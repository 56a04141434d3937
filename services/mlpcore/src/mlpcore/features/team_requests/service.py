"""Requests to the team. They are stored first and mailed later, so that an outage of the mail server loses none."""

from datetime import timedelta

from mlpcore.features.team_requests.answering import Answers
from mlpcore.features.team_requests.errors import TooManyRequestsToTheTeam
from mlpcore.features.team_requests.repository import TeamRequestRepository
from mlpcore.features.team_requests.schemas import (
    MailState,
    ManagementRequestData,
    PagedTeamRequests,
    TeamRequestData,
    TeamRequestState,
    TeamRequestUpdate,
)
from mlpcore.features.team_requests.tables import TeamRequest
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.pagination import PageRequest, Pagination
from mlplace_kit.violations import broken
from mlplace_runtime.web.policy import Access


class TeamRequestService:
    def __init__(
        self,
        repository: TeamRequestRepository,
        answers: Answers,
        hasher: KeyedHasher,
        clock: Clock,
        *,
        mails: bool,
        per_hour: int,
    ) -> None:
        self._repository = repository
        self._answers = answers
        self._hasher = hasher
        self._clock = clock
        self._mails = mails
        self._per_hour = per_hour

    async def store(self, *, kind: str, data: ManagementRequestData, access: Access, address: str) -> None:
        """Raises TooManyRequestsToTheTeam, ValidationFailed."""
        if not data.contacts.strip():
            raise ValidationFailed({"contacts": broken("required")})
        now = self._clock.now()
        origin = self._hasher.digest(f"team-request:{address}")
        if await self._repository.count_from(address_hash=origin, since=now - timedelta(hours=1)) >= self._per_hour:
            raise TooManyRequestsToTheTeam
        await self._repository.add(
            TeamRequest(
                kind=kind,
                account_id=access.grant.account_id if access.grant else None,
                user_id=access.principal.user_id,
                login=access.principal.login,
                contacts=data.contacts,
                comment=data.comment,
                address_hash=origin,
                created_at=now,
                mail_state=(MailState.WAITING if self._mails else MailState.OFF).value,
                mail_attempts=0,
                mail_due_at=now,
                state=TeamRequestState.OPEN.value,
            )
        )

    async def listed(self, page: PageRequest, *, state: TeamRequestState | None) -> PagedTeamRequests:
        if page.sort_field != "id":
            raise ValidationFailed({"sort": broken("sort", message="use id,asc or id,desc", allowed="id,asc, id,desc")})
        rows, total = await self._repository.page(
            state=state, offset=page.offset, limit=page.size, descending=page.descending
        )
        return PagedTeamRequests(paging=Pagination.of(page, total), records=[_shown(row) for row in rows])

    async def read(self, request_id: int) -> TeamRequestData:
        """Raises NotFound."""
        request = await self._repository.find(request_id)
        if request is None:
            raise NotFound
        return _shown(request)

    async def update(self, request_id: int, data: TeamRequestUpdate, *, access: Access) -> TeamRequestData:
        """Opens or closes a request. A new answer is sent to who asked. Raises NotFound, ValidationFailed."""
        request = await self._repository.locked(request_id)
        if request is None:
            raise NotFound
        if data.state is TeamRequestState.CLOSED and not (data.answer or request.answer):
            raise ValidationFailed({"answer": broken("required")})
        request.state = data.state.value
        if data.answer is not None and data.answer != request.answer:
            request.answer = data.answer
            request.answered_by = access.principal.login
            request.answered_at = self._clock.now()
            await self._answers.send(request, data.answer)
        return _shown(request)


def _shown(row: TeamRequest) -> TeamRequestData:
    return TeamRequestData(
        id=row.request_id,
        kind=row.kind,
        account_id=row.account_id,
        user_id=row.user_id,
        login=row.login,
        contacts=row.contacts,
        comment=row.comment,
        created_at=row.created_at,
        mail_state=MailState(row.mail_state),
        state=TeamRequestState(row.state),
        answer=row.answer,
        answered_by=row.answered_by,
        answered_at=row.answered_at,
    )
