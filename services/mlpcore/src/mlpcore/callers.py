"""The name under which favourites and read marks are stored: one per user, and one for all keys of an account."""

from mlplace_kit.errors import NotAuthorized
from mlplace_runtime.auth.principal import Principal


def caller_of(principal: Principal) -> str | None:
    """Returns None for an anonymous caller."""
    if principal.user_id is not None:
        return f"user:{principal.user_id}"
    return f"account:{principal.selected.account_id}" if principal.selected else None


def known_caller(principal: Principal) -> str:
    """Raises NotAuthorized for an anonymous caller."""
    caller = caller_of(principal)
    if caller is None:
        raise NotAuthorized
    return caller
