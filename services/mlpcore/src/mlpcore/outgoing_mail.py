"""Mails that go out once what they tell of is committed."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final

import structlog
from sqlalchemy import event
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_runtime.mail import Mail, Mailer, MailNotSentError

log = structlog.get_logger(__name__)

_MOST: Final = 1000


class OutgoingMails:
    """Run `run` beside it. They wait in memory and are tried once: whoever is told here has a notification, too."""

    def __init__(self) -> None:
        self._waiting: deque[Mail] = deque(maxlen=_MOST)
        self._something = asyncio.Event()

    def after_commit(self, session: AsyncSession, mails: Sequence[Mail]) -> None:
        """Nothing goes out when the transaction is rolled back."""

        def committed(_session: object) -> None:
            self._waiting.extend(mails)
            self._something.set()

        if mails:
            event.listen(session.sync_session, "after_commit", committed, once=True)

    async def run(self, mailer: Mailer | None) -> None:
        """Until cancelled. Without a mailer they are forgotten."""
        while True:
            await self._something.wait()
            self._something.clear()
            if mailer is None:
                self._waiting.clear()
            else:
                await self.send(mailer)

    async def send(self, mailer: Mailer) -> None:
        """All that wait."""
        while self._waiting:
            try:
                await mailer.send(self._waiting.popleft())
            except MailNotSentError as error:
                log.warning("mail_not_sent", error=str(error))
