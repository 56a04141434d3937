"""Who can get notifications by mail."""

import re
from typing import Final

from mlpcore.features.notifications.schemas import MailRefusal
from mlplace_runtime.people import People

_ADDRESS: Final = re.compile(r"[^@\s]+@[^@\s]+")


class Recipients:
    """Mail goes to confirmed addresses alone: otherwise the platform could be made to write to strangers."""

    def __init__(self, people: People, *, mail_on: bool) -> None:
        self._people = people
        self._mail_on = mail_on

    async def refusal(self, *, user_id: int, login: str) -> MailRefusal | None:
        """Returns why the user cannot get mails; None if they can. Raises Unavailable."""
        if not self._mail_on:
            return MailRefusal.MAIL_OFF
        if not _ADDRESS.fullmatch(login):
            return MailRefusal.NO_ADDRESS
        person = await self._people.person(user_id=user_id)
        return None if person.confirmed else MailRefusal.UNCONFIRMED
