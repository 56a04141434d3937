"""Prevents privilege escalation: a key cannot create or change a key to have more rights than its own.

That covers permissions, models, lifetime and origins. A key with origins changes only keys that list
origins, and only its own ones. A key with limits cannot create or change keys at all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from mlpcore.features.api_keys.limits import is_limited
from mlpcore.features.api_keys.repository import ApiKeyRepository
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.denials import KeyCannotGrant, KeyHasLimits
from mlplace_kit.web_origins import ANY_ORIGIN
from mlplace_runtime.auth.principal import PrincipalKind
from mlplace_runtime.web.policy import Access


@dataclass(frozen=True, slots=True)
class KeyScope:
    """The rights that the caller may grant. Read before any change, because a key may be changing itself."""

    permissions: frozenset[KeyPermission]
    allowed_models: frozenset[int] | None
    expires_at: datetime | None
    origins: frozenset[str]
    """Those that the calling key lists. A key that lists none is no key of a page: it may grant any."""

    def check(
        self,
        *,
        permissions: Sequence[KeyPermission],
        allowed_models: Sequence[int] | None,
        expires_at: datetime | None,
        origins: Sequence[str],
    ) -> None:
        """Raises AccessDenied when a key with these rights could do more than the caller."""
        if not set(permissions) <= self.permissions:
            raise KeyCannotGrant(right="permissions")
        if self.allowed_models is not None and (
            allowed_models is None or not set(allowed_models) <= self.allowed_models
        ):
            raise KeyCannotGrant(right="allowedServices")
        if self.expires_at is not None and (expires_at is None or expires_at > self.expires_at):
            raise KeyCannotGrant(right="maxLifetime")
        self.check_origins(origins)

    def check_origins(self, origins: Sequence[str]) -> None:
        """Raises AccessDenied when the caller may neither make nor change a key with these origins.

        A key that lists none may grant any. So a key with a list makes none, or it could reach any through it.
        """
        if not self.origins:
            return
        if not origins or (ANY_ORIGIN not in self.origins and not set(origins) <= self.origins):
            raise KeyCannotGrant(right="allowedOrigins")


async def scope_of(access: Access, repository: ApiKeyRepository) -> KeyScope:
    """Raises AccessDenied for a key with limits: a key that it made or changed could use the same limits again."""
    principal = access.principal
    key = None
    if principal.kind is PrincipalKind.KEY and principal.key_id is not None:
        key = await repository.owned(account_id=access.account.account_id, key_id=principal.key_id)
        if key is not None and is_limited(key.restrictions):
            raise KeyHasLimits
    return KeyScope(
        access.account.permissions,
        principal.allowed_models,
        key.expires_at if key else None,
        frozenset(key.allowed_origins if key else ()),
    )
