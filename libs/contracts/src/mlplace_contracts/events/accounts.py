"""Events of accountsadmin."""

from typing import ClassVar, Literal

from mlplace_contracts.events.base import Event, Moment, StateEvent
from mlplace_contracts.topics import ACCOUNTS, MEMBERSHIPS, SESSIONS, USERS, Topic


class AccountChanged(StateEvent):
    type_name: ClassVar[str] = "accountsadmin.account_changed.v1"
    topic: ClassVar[Topic] = ACCOUNTS

    account_id: int
    short_name: str
    display_name: str
    owner_user_id: int
    email: str
    language: Literal["RU", "EN"]
    active: bool

    @property
    def key(self) -> str:
        return str(self.account_id)


class UserChanged(StateEvent):
    type_name: ClassVar[str] = "accountsadmin.user_changed.v1"
    topic: ClassVar[Topic] = USERS

    user_id: int
    login: str
    permissions: tuple[str, ...]
    internal: bool
    active: bool

    @property
    def key(self) -> str:
        return str(self.user_id)


class MembershipChanged(StateEvent):
    """The roles of a user in an account. `roles` is empty when the membership has ended. `login` is the user's."""

    type_name: ClassVar[str] = "accountsadmin.membership_changed.v1"
    topic: ClassVar[Topic] = MEMBERSHIPS

    account_id: int
    user_id: int
    roles: tuple[str, ...]
    login: str | None = None

    @property
    def key(self) -> str:
        return f"{self.account_id}:{self.user_id}"


class SessionRevoked(Event):
    """A session ended. Caches drop it at once. `session_hash` is the keyed hash of the session id."""

    type_name: ClassVar[str] = "accountsadmin.session_revoked.v1"
    topic: ClassVar[Topic] = SESSIONS

    session_hash: str
    user_id: int
    revoked_at: Moment

    @property
    def key(self) -> str:
        return self.session_hash
