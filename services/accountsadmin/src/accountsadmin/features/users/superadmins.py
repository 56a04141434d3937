"""What the operator of an installation decides: who is a superadmin, of the users who have registered."""

from enum import Enum, auto

from accountsadmin.features.users.administration import UserAdministration
from accountsadmin.features.users.service import UserService
from mlplace_contracts.enums import SUPERADMIN_PERMISSION


class Outcome(Enum):
    """Only CHANGED says that something was changed. `IS_LAST`: nobody else who can sign in has the permission."""

    CHANGED = auto()
    UNCHANGED = auto()
    UNKNOWN = auto()
    BLOCKED = auto()
    IS_LAST = auto()


class Superadmins:
    def __init__(self, *, users: UserService, administration: UserAdministration) -> None:
        self._users = users
        self._administration = administration

    async def give(self, *, login: str) -> Outcome:
        """Gives the permission to the user with this login, in its normal form."""
        user = await self._users.lock(login=login)
        if user is None:
            return Outcome.UNKNOWN
        if not user.active:
            return Outcome.BLOCKED
        if SUPERADMIN_PERMISSION in user.permissions:
            return Outcome.UNCHANGED
        await self._set(user.id, {*user.permissions, SUPERADMIN_PERMISSION})
        return Outcome.CHANGED

    async def take_away(self, *, login: str) -> Outcome:
        # All are locked, so that of two commands at once the later one sees who is left.
        holders = await self._users.lock_holders(permission=SUPERADMIN_PERMISSION)
        user = next((holder for holder in holders if holder.login == login), None)
        if user is None:
            known = await self._users.find_by_login(login=login)
            return Outcome.UNCHANGED if known else Outcome.UNKNOWN
        if not any(holder.active for holder in holders if holder.id != user.id):
            return Outcome.IS_LAST
        await self._set(user.id, {*user.permissions} - {SUPERADMIN_PERMISSION})
        return Outcome.CHANGED

    async def _set(self, user_id: int, permissions: set[str]) -> None:
        await self._administration.grant(user_id=user_id, permissions=permissions, internal=None, actor=None)
