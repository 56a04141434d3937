"""Resolves the text of a key to its identity."""

from mlpcore.features.api_keys.limits import key_limits, max_price_nano
from mlpcore.features.api_keys.ports import KeyAccounts
from mlpcore.features.api_keys.repository import ApiKeyRepository
from mlplace_contracts.enums import KeyPermission
from mlplace_contracts.internal.identity import KeyIdentity
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher, parse_credential
from mlplace_kit.names import PathRef


class KeyResolver:
    def __init__(self, keys: ApiKeyRepository, accounts: KeyAccounts, hasher: KeyedHasher, clock: Clock) -> None:
        self._keys = keys
        self._accounts = accounts
        self._hasher = hasher
        self._clock = clock

    async def resolve(self, *, secret: str) -> KeyIdentity | None:
        """Returns None for a key that is unknown, revoked or expired, or whose account is closed."""
        if parse_credential(secret) is None:
            return None
        key = await self._keys.by_hash(self._hasher.digest(secret))
        if key is None or (key.expires_at is not None and key.expires_at <= self._clock.now()):
            return None
        account = await self._accounts.find(PathRef(id=key.account_id, name=None))
        if account is None or not account.active:
            return None
        return KeyIdentity(
            key_id=key.key_id,
            account_id=key.account_id,
            account_name=account.short_name,
            name=key.name,
            permissions=tuple(KeyPermission(name) for name in key.permissions),
            allowed_models=_ids(key.allowed_models),
            features=await self._accounts.enabled_features(key.account_id),
            expires_at=key.expires_at,
            limits=key_limits(key.restrictions, key.created_at),
            max_price_nano=max_price_nano(key.restrictions),
            allowed_origins=tuple(key.allowed_origins),
        )


def _ids(allowed: list[dict[str, int]] | None) -> tuple[int, ...] | None:
    return None if allowed is None else tuple(entry["modelId"] for entry in allowed)
