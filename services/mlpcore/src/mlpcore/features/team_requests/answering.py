"""Sends the team's answer to who asked: to the account as a notification, and to the user by mail."""

from collections.abc import Mapping
from typing import Final

from sqlalchemy.ext.asyncio import AsyncSession

from mlpcore.features.accounts.directory import AccountsOfSession
from mlpcore.features.notifications.schemas import NotificationText, NotificationType, Severity
from mlpcore.features.notifications.service import NewNotification, Notifier
from mlpcore.features.team_requests.tables import TeamRequest
from mlpcore.outgoing_mail import OutgoingMails
from mlplace_runtime.mail import Mail

_ENGLISH: Final = ("The team answered your request", "The team answered your request {request}:\n\n{answer}\n")
_TEXTS: Final[Mapping[str, tuple[str, str]]] = {
    "EN": _ENGLISH,
    "RU": ("Команда ответила на ваше обращение", "Команда ответила на ваше обращение {request}:\n\n{answer}\n"),
}


class Answers:
    def __init__(
        self, session: AsyncSession, notifier: Notifier, accounts: AccountsOfSession, mails: OutgoingMails
    ) -> None:
        self._session = session
        self._notifier = notifier
        self._accounts = accounts
        self._mails = mails

    async def send(self, request: TeamRequest, answer: str) -> None:
        """Sends nothing to a visitor, whom the team answers by the contacts."""
        if request.account_id is None:
            return
        notification = NewNotification(
            NotificationType.NONE,
            Severity.INFO,
            f"The team answered the request {request.request_id}: {answer}",
            text_key=NotificationText.REQUEST_ANSWERED,
            text_args={"request": str(request.request_id), "answer": answer},
        )
        await self._notifier.notify([request.account_id], notification)
        if request.login is not None:
            language = await self._accounts.language(request.account_id)
            self._mails.after_commit(self._session, [answer_mail(request, request.login, answer, language=language)])


def answer_mail(request: TeamRequest, to: str, answer: str, *, language: str) -> Mail:
    subject, text = _TEXTS.get(language, _ENGLISH)
    return Mail(to, subject, text.format(request=request.request_id, answer=answer))
