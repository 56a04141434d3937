from accountsadmin.features.users.service import UserService
from accountsadmin.mailboxes import mailbox_of
from mlplace_contracts.internal.people import PersonAnswer
from mlplace_kit.credentials import KeyedHasher
from mlplace_kit.errors import NotFound


class People:
    """Identifies the person behind a user, so that other services give a person a benefit once, not once per login."""

    def __init__(self, *, users: UserService, hasher: KeyedHasher, mail_available: bool) -> None:
        self._users = users
        self._hasher = hasher
        self._mail_available = mail_available

    async def resolve(self, *, user_id: int) -> PersonAnswer:
        """Raises NotFound."""
        user = await self._users.find(user_id=user_id)
        if user is None:
            raise NotFound(entity="user")
        return PersonAnswer(
            person=self._hasher.digest(f"person:{mailbox_of(user.login)}"),
            confirmed=user.email_confirmed or not self._mail_available,
        )
