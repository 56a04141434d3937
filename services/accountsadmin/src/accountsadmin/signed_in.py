"""The signed-in user of a request, as the policy of routes about one's own sign-in and accounts."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends

from mlplace_kit.errors import NotAuthorized, NotFound
from mlplace_runtime.auth.principal import Principal
from mlplace_runtime.web.policy import Access, SessionOnly


@dataclass(frozen=True, slots=True)
class CurrentUser:
    user_id: int
    login: str
    session_hash: str
    principal: Principal

    def may_read_about(self, user_id: int) -> None:
        """Raises NotFound unless it is the user's own id or the user is a superadmin, as if there were no such user."""
        if user_id != self.user_id and not self.principal.superadmin:
            raise NotFound(entity="user")


def user_of(principal: Principal) -> CurrentUser | None:
    """Returns None for visitors and for API keys."""
    if principal.user_id is None or principal.login is None or principal.session_hash is None:
        return None
    return CurrentUser(principal.user_id, principal.login, principal.session_hash, principal)


def current_user(access: Annotated[Access, Depends(SessionOnly())]) -> CurrentUser:
    user = user_of(access.principal)
    if user is None:
        raise NotAuthorized
    return user


SignedInUser = Annotated[CurrentUser, Depends(current_user)]
