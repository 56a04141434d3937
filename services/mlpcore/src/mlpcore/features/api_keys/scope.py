"""A key hands on no more than it has: not more permissions, not more services, not a longer life."""

from collections.abc import Sequence
from datetime import datetime

from mlpcore.features.api_keys.repository import ApiKeyRepository
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.errors import AccessDenied
from mlplace_runtime.auth.principal import PrincipalKind
from mlplace_runtime.web.policy import Access


class KeyScope:
    def __init__(self, repository: ApiKeyRepository) -> None:
        self._repository = repository

    async def check(
        self,
        access: Access,
        *,
        permissions: Sequence[KeyPermission],
        allowed_models: Sequence[int] | None,
        expires_at: datetime | None,
    ) -> None:
        """Raises AccessDenied when a key with this scope could do what the caller cannot."""
        if not set(permissions) <= access.account.permissions:
            raise AccessDenied
        own = access.principal.allowed_models
        if own is not None and (allowed_models is None or not set(allowed_models) <= own):
            raise AccessDenied
        ends = await self._end_of(access)
        if ends is not None and (expires_at is None or expires_at > ends):
            raise AccessDenied

    async def _end_of(self, access: Access) -> datetime | None:
        if access.principal.kind is not PrincipalKind.KEY or access.principal.key_id is None:
            return None
        key = await self._repository.owned(account_id=access.account.account_id, key_id=access.principal.key_id)
        return key.expires_at if key else None
