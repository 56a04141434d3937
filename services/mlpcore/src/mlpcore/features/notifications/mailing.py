"""Mails new notifications to the members who want them: what has happened in ten minutes is one mail.

A mail is tried once: its recipient has the notifications, too.
"""

from datetime import timedelta
from typing import Final

import structlog

from mlpcore.features.accounts.dependencies import accounts_of
from mlpcore.features.notifications.choices_repository import ChoiceRepository, Recipient
from mlpcore.features.notifications.mails import digest
from mlpcore.features.notifications.recipients import Recipients
from mlpcore.state import CoreState
from mlplace_kit.errors import DomainError
from mlplace_kit.names import PathRef
from mlplace_runtime.tasks import Loop, every

log = structlog.get_logger(__name__)

BETWEEN: Final = timedelta(minutes=10)
MOST: Final = 50
_AT_ONCE: Final = 100
_SECONDS: Final = 30.0


class NotificationMail:
    def __init__(self, state: CoreState) -> None:
        self._state = state
        self._recipients = Recipients(state.people, mail_on=state.mailer is not None)

    async def turn(self) -> None:
        """Sends a mail to each member for whom something waits. One that cannot be sent now waits for its next time."""
        if self._state.mailer is None:
            return
        async with self._state.database.transaction() as session:
            due = await ChoiceRepository(session).due(now=self._state.clock.now(), limit=_AT_ONCE)
        for recipient in due:
            try:
                refusal = await self._recipients.refusal(user_id=recipient.user_id, login=recipient.login)
            except DomainError as error:
                log.warning("recipient_unknown", user_id=recipient.user_id, code=error.code)
                await self._postpone(recipient)
            else:
                await (self._postpone(recipient) if refusal else self._send(recipient))

    async def _send(self, recipient: Recipient) -> None:
        now = self._state.clock.now()
        async with self._state.database.transaction() as session:
            repository = ChoiceRepository(session)
            chosen = await repository.claim(recipient, now=now)
            if chosen is None or not (found := await repository.waiting(chosen, now=now, limit=MOST)):
                return
            chosen.mailed_until, chosen.due_at = found[-1].notification_id, now + BETWEEN
            accounts = accounts_of(session)
            entry = await accounts.find(PathRef(id=chosen.account_id, name=None))
            name, language = entry.short_name if entry else "", await accounts.language(chosen.account_id)
            console = self._state.settings.public_rest_url
            mail = digest(chosen.login, found, account=name, language=language, console=console)
            self._state.mails.after_commit(session, [mail])

    async def _postpone(self, recipient: Recipient) -> None:
        async with self._state.database.transaction() as session:
            until = self._state.clock.now() + BETWEEN
            await ChoiceRepository(session).postpone(recipient, until=until)


def notification_mail_loop(state: CoreState) -> Loop:
    mail = NotificationMail(state)
    return Loop("notification-mail", lambda: every(_SECONDS, mail.turn))
