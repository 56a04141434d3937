"""Who keeps favourites and has read what: a person, or the keys of an account together."""

from mlplace_kit.errors import NotAuthorized
from mlplace_runtime.auth.principal import Principal


def caller_of(principal: Principal) -> str | None:
    """None for a visitor."""
    if principal.user_id is not None:
        return f"user:{principal.user_id}"
    return f"account:{principal.selected.account_id}" if principal.selected else None


def known_caller(principal: Principal) -> str:
    """Raises NotAuthorized for a visitor."""
    caller = caller_of(principal)
    if caller is None:
        raise NotAuthorized
    return caller
