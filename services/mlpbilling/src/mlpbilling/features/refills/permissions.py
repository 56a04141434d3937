from mlplace_contracts.enums import Role
from mlplace_kit.errors import AccessDenied
from mlplace_runtime.web.policy import Access


def require_self(access: Access, user_id: int) -> None:
    """The path names a user: nobody acts in the name of another, a superadmin neither."""
    if access.principal.user_id != user_id:
        raise AccessDenied


def require_self_as_owner(access: Access, user_id: int) -> None:
    """As require_self, and the account must be the user's own: what a superadmin may do anywhere does not count."""
    require_self(access, user_id)
    own = access.principal.grants.get(access.account.account_id)
    if own is None or Role.OWNER not in own.roles:
        raise AccessDenied
