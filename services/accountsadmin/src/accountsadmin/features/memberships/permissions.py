from mlplace_contracts.enums import Role
from mlplace_kit.denials import RoleMissing
from mlplace_runtime.web.policy import Access


def require_may_end(access: Access, user_id: int) -> None:
    """Raises AccessDenied unless the caller is an owner or a superadmin, or ends their own membership."""
    if access.principal.user_id != user_id and Role.OWNER not in access.account.roles:
        raise RoleMissing(role=Role.OWNER.value)
