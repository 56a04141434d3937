"""Mails that are sent after the transaction that caused them has committed."""

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import Final

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from mlplace_runtime.db.database import call_after_commit
from mlplace_runtime.mail import Mail, Mailer, MailNotSentError

log = structlog.get_logger(__name__)

_MOST: Final = 1000


class OutgoingMails:
    """A queue in memory that the loop `run` empties. Each mail is tried once: its recipients get a notification, too.

    When the queue is full, the oldest mails are dropped.
    """

    def __init__(self) -> None:
        self._waiting: deque[Mail] = deque(maxlen=_MOST)
        self._something = asyncio.Event()

    def after_commit(self, session: AsyncSession, mails: Sequence[Mail]) -> None:
        """Queues the mails when the session commits, and drops them when it rolls back."""

        def committed() -> None:
            self._waiting.extend(mails)
            self._something.set()

        if mails:
            call_after_commit(session, committed)

    async def run(self, mailer: Mailer | None) -> None:
        """Sends queued mails until cancelled. Without a mailer it discards them."""
        while True:
            await self._something.wait()
            self._something.clear()
            if mailer is None:
                self._waiting.clear()
            else:
                await self.send(mailer)

    async def send(self, mailer: Mailer) -> None:
        """Sends all queued mails. A mail that the server refuses is logged and dropped."""
        while self._waiting:
            try:
                await mailer.send(self._waiting.popleft())
            except MailNotSentError as error:
                log.warning("mail_not_sent", error=str(error))
