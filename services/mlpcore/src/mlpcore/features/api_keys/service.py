"""API keys of an account. Each change publishes an event for the caches of keys, in the same transaction."""

from collections.abc import Sequence
from datetime import datetime

from mlpcore.features.api_keys.limits import SINCE, allowed_origins, check_limits, restrictions_of, spending_since
from mlpcore.features.api_keys.ports import UsableModels
from mlpcore.features.api_keys.presentation import key_changed, key_data, stored_restrictions
from mlpcore.features.api_keys.repository import ApiKeyRepository
from mlpcore.features.api_keys.schemas import (
    LONGEST_LIFETIME,
    AccessTokenCreateUpdateData,
    AccessTokenData,
    Restrictions,
)
from mlpcore.features.api_keys.scope import KeyScope, scope_of
from mlpcore.features.api_keys.tables import ApiKey
from mlpcore.features.models.schemas import ModelInfoPK
from mlplace_contracts.enums import KeyPermission
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher, new_credential
from mlplace_kit.errors import NotFound, ValidationFailed
from mlplace_kit.violations import Violation, broken
from mlplace_runtime.db.outbox import Publisher
from mlplace_runtime.web.policy import Access

_LIFETIME_FIELDS = ("temporary", "max_lifetime", "max_lifetime_period")


class ApiKeyService:
    def __init__(
        self,
        *,
        repository: ApiKeyRepository,
        models: UsableModels,
        hasher: KeyedHasher,
        outbox: Publisher,
        clock: Clock,
    ) -> None:
        self._repository = repository
        self._models = models
        self._hasher = hasher
        self._outbox = outbox
        self._clock = clock

    async def listed(self, *, account_id: int) -> list[AccessTokenData]:
        return [key_data(key) for key in await self._repository.of_account(account_id)]

    async def read(self, *, account_id: int, key_id: int) -> AccessTokenData:
        return key_data(await self._existing(account_id, key_id))

    async def create(self, *, access: Access, name: str | None, data: AccessTokenCreateUpdateData) -> AccessTokenData:
        """Only this answer shows the whole key. A key without a name is named after its id."""
        if name == "":
            raise ValidationFailed({"name": broken("not_empty")})
        account_id = access.account.account_id
        permissions = _ordered(data.permissions or tuple(access.account.permissions))
        allowed = await self._allowed(account_id, data.allowed_services)
        origins = allowed_origins(data.allowed_origins)
        check_limits(data)
        now = self._clock.now()
        expires_at = _end(data, now)
        _check(await scope_of(access, self._repository), permissions, allowed, expires_at, origins)
        credential = new_credential(account_id=account_id, object_id=await self._repository.next_id())
        key = ApiKey(
            key_id=credential.object_id,
            account_id=account_id,
            version=1,
            name=data.name or name or f"key-{credential.object_id}",
            key_hash=self._hasher.digest(credential.text),
            last_four=credential.secret[-4:],
            permissions=[permission.value for permission in permissions],
            allowed_models=allowed,
            allowed_origins=origins,
            restrictions=stored_restrictions(data) | {SINCE: spending_since(data, {}, now)},
            expires_at=expires_at,
            created_at=now,
            created_by_user=access.principal.user_id,
            created_by_key=access.principal.key_id,
        )
        await self._repository.add(key)
        await self._publish(key)
        return key_data(key).model_copy(update={"token": credential.text})

    async def update(self, *, access: Access, key_id: int, data: AccessTokenCreateUpdateData) -> AccessTokenData:
        scope = await scope_of(access, self._repository)
        key = await self._existing(access.account.account_id, key_id, lock=True)
        scope.check_origins(key.allowed_origins)
        if data.name is not None:
            key.name = data.name
        if data.permissions is not None:
            key.permissions = [permission.value for permission in _ordered(data.permissions)]
        if "allowed_services" in data.model_fields_set:
            key.allowed_models = await self._allowed(key.account_id, data.allowed_services)
        if "allowed_origins" in data.model_fields_set:
            key.allowed_origins = allowed_origins(data.allowed_origins)
        self._apply_restrictions(key, data)
        _check(
            scope, [KeyPermission(p) for p in key.permissions], key.allowed_models, key.expires_at, key.allowed_origins
        )
        key.version += 1
        await self._publish(key)
        return key_data(key)

    async def revoke(self, *, account_id: int, key_id: int) -> None:
        key = await self._existing(account_id, key_id, lock=True)
        key.revoked_at = self._clock.now()
        key.version += 1
        await self._publish(key)

    def _apply_restrictions(self, key: ApiKey, data: AccessTokenCreateUpdateData) -> None:
        """A changed lifetime counts from now."""
        before = restrictions_of(key.restrictions)
        sent = {name: getattr(data, name) for name in Restrictions.model_fields if name in data.model_fields_set}
        after = before.model_copy(update=sent)
        if any(getattr(before, name) != getattr(after, name) for name in _LIFETIME_FIELDS):
            key.expires_at = _end(after, self._clock.now())
        if sent:
            check_limits(after)
        key.restrictions = stored_restrictions(after) | {
            SINCE: spending_since(after, key.restrictions, self._clock.now())
        }

    async def _allowed(self, account_id: int, services: Sequence[ModelInfoPK] | None) -> list[dict[str, int]] | None:
        """Raises ValidationFailed for a model that the account may not call."""
        if services is None:
            return None
        problems: dict[str, Violation] = {}
        for number, entry in enumerate(services):
            model = await self._models.usable(account_id=account_id, model_id=entry.model_id)
            if model is None or model.account_id != entry.account_id:
                problems[f"allowedServices.{number}"] = broken("not_found")
        if problems:
            raise ValidationFailed(problems)
        return [entry.model_dump(by_alias=True) for entry in services]

    async def _existing(self, account_id: int, key_id: int, *, lock: bool = False) -> ApiKey:
        key = await self._repository.owned(account_id=account_id, key_id=key_id, lock=lock)
        if key is None:
            raise NotFound(entity="API key")
        return key

    async def _publish(self, key: ApiKey) -> None:
        open_account = await self._repository.account_is_active(key.account_id)
        await self._outbox.add(key_changed(key, account_is_active=open_account))


def _check(
    scope: KeyScope,
    permissions: Sequence[KeyPermission],
    allowed: list[dict[str, int]] | None,
    expires_at: datetime | None,
    origins: Sequence[str],
) -> None:
    models = None if allowed is None else [entry["modelId"] for entry in allowed]
    scope.check(permissions=permissions, allowed_models=models, expires_at=expires_at, origins=origins)


def _ordered(permissions: Sequence[KeyPermission]) -> list[KeyPermission]:
    return [permission for permission in KeyPermission if permission in permissions]


def _end(data: Restrictions, now: datetime) -> datetime | None:
    """Returns the time of expiry, or None.

    Raises ValidationFailed for a temporary key without a lifetime or with one above 100 years, and for a lifetime
    without `temporary`.
    """
    if not data.temporary:
        if data.temporary is None and data.max_lifetime is not None:
            raise ValidationFailed({"maxLifetime": broken("only_temporary")})
        return None
    if data.max_lifetime is None or data.max_lifetime_period is None:
        missing = "maxLifetime" if data.max_lifetime is None else "maxLifetimePeriod"
        raise ValidationFailed({missing: broken("temporary_key")})
    length = data.max_lifetime_period.length
    if data.max_lifetime > LONGEST_LIFETIME / length:
        raise ValidationFailed({"maxLifetime": broken("lifetime")})
    return now + data.max_lifetime * length
