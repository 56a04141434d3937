from mlplace_contracts.enums import Role
from mlplace_kit.denials import RoleMissing
from mlplace_kit.errors import AccessDenied
from mlplace_runtime.web.policy import Access


def require_self(access: Access, user_id: int) -> None:
    """Raises AccessDenied unless the path names the caller, even for a superadmin."""
    if access.principal.user_id != user_id:
        raise AccessDenied


def require_self_as_owner(access: Access, user_id: int) -> None:
    """Like `require_self`; the caller must also own the account by a role, not by a superadmin's rights."""
    require_self(access, user_id)
    own = access.principal.grants.get(access.account.account_id)
    if own is None or Role.OWNER not in own.roles:
        raise RoleMissing(role=Role.OWNER.value)
