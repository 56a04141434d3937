"""Mails stored requests to the team. A claim on a request expires, so another process retries after a crash."""

from datetime import timedelta
from typing import Final

import structlog

from mlpcore.features.team_requests.repository import TeamRequestRepository
from mlpcore.features.team_requests.schemas import MailState
from mlpcore.features.team_requests.tables import TeamRequest
from mlpcore.settings import MlpcoreSettings
from mlpcore.state import CoreState
from mlplace_runtime.backoff import Backoff
from mlplace_runtime.mail import Mail, Mailer, MailNotSentError
from mlplace_runtime.tasks import Loop, every

log = structlog.get_logger(__name__)

ATTEMPTS: Final = 10
_CLAIM = timedelta(minutes=2)
_PAUSES = Backoff(first=120.0, longest=6 * 3600.0)
_SECONDS = 5.0
_MAX_ERROR = 500


class TeamMail:
    def __init__(self, state: CoreState) -> None:
        self._state = state

    async def turn(self) -> None:
        """Sends all due mails. Does nothing while no mail is configured; waiting requests stay."""
        if not (self._state.mailer and self._state.settings.team_mail):
            return
        while (request := await self._claim()) is not None:
            await self._send(self._state.mailer, request)

    async def _claim(self) -> TeamRequest | None:
        async with self._state.database.transaction() as session:
            return await TeamRequestRepository(session).claim_mail(now=self._state.clock.now(), lease=_CLAIM)

    async def _send(self, mailer: Mailer, request: TeamRequest) -> None:
        try:
            await mailer.send(mail_of(request, self._state.settings))
        except MailNotSentError as error:
            log.warning("team_mail_not_sent", request_id=request.request_id, attempt=request.mail_attempts)
            over = request.mail_attempts >= ATTEMPTS
            await self._note(request, MailState.FAILED if over else MailState.WAITING, str(error)[:_MAX_ERROR])
        else:
            await self._note(request, MailState.SENT, None)

    async def _note(self, request: TeamRequest, state: MailState, error: str | None) -> None:
        wait = timedelta(seconds=_PAUSES.seconds(request.mail_attempts))
        async with self._state.database.transaction() as session:
            await TeamRequestRepository(session).note_mail(
                request, state=state, due_at=self._state.clock.now() + wait, error=error
            )


def mail_of(request: TeamRequest, settings: MlpcoreSettings) -> Mail:
    """User input appears only in the text, never in the subject; the address of the request comes before it."""
    sender = f"{request.login} (account {request.account_id})" if request.login else "a visitor"
    page = f"{settings.public_rest_url.rstrip('/')}/superadmin/requests?request={request.request_id}"
    lines = [f"Request: {request.kind}", f"Answer it: {page}", f"From: {sender}", f"Contacts: {request.contacts}"]
    if request.comment:
        lines += ["", request.comment]
    return Mail(
        to=settings.team_mail, subject=f"MLPlace: request {request.request_id} ({request.kind})", text="\n".join(lines)
    )


def team_mail_loop(state: CoreState) -> Loop:
    mail = TeamMail(state)
    return Loop("team-mail", lambda: every(_SECONDS, mail.turn))
