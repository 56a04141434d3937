"""Looks up API keys in the read model, or at mlpcore while the event of a new key is on its way."""

from collections.abc import Sequence
from datetime import datetime

from mlpgateway.call.identity import Identity
from mlpgateway.readmodels.accounts import Accounts
from mlpgateway.readmodels.keys import Keys
from mlpgateway.readmodels.limits import LimitsOfAccounts
from mlplace_contracts.enums import KeyPermission
from mlplace_contracts.events import ApiKeyChanged
from mlplace_contracts.internal.identity import KeyIdentity
from mlplace_kit.clock import Clock
from mlplace_kit.credentials import KeyedHasher, parse_credential
from mlplace_kit.web_origins import ANY_ORIGIN
from mlplace_runtime.auth.sources import KeySource


class Keyring:
    """Looks up API keys. Also satisfies KeySource, for the control endpoints."""

    def __init__(
        self,
        *,
        keys: Keys,
        accounts: Accounts,
        limits: LimitsOfAccounts,
        unknown: KeySource,
        hasher: KeyedHasher,
        clock: Clock,
    ) -> None:
        """`unknown` is asked about keys that the read model does not have."""
        self._keys = keys
        self._accounts = accounts
        self._limits = limits
        self._unknown = unknown
        self._hasher = hasher
        self._clock = clock

    async def identify(self, secret: str) -> Identity | None:
        """Returns the key's identity; None when the text is no valid key."""
        if parse_credential(secret) is None:
            return None
        known = self._keys.find(self._hasher.digest(secret))
        if known is None:
            resolved = await self._unknown.key(secret)
            return _identity_of(resolved) if resolved and self._lives(resolved) else None
        return self._identity(known)

    def has(self, secret: str) -> bool:
        """Returns whether the read model has the key, live or not."""
        return self._keys.find(self._hasher.digest(secret)) is not None

    def known(self, secret: str) -> Identity | None:
        """Like `identify`, from the read model alone."""
        known = self._keys.find(self._hasher.digest(secret))
        return None if known is None else self._identity(known)

    async def allowed_origins(self, secret: str) -> Sequence[str] | None:
        """Returns the origins that a live key lists; None when the text is none. Raises Unavailable."""
        if parse_credential(secret) is None:
            return None
        known = self._keys.find(self._hasher.digest(secret))
        if known is None:
            resolved = await self._unknown.key(secret)
            return resolved.allowed_origins if resolved and self._lives(resolved) else None
        return known.allowed_origins if known.active and self._lives(known) else None

    def listed_form(self, origin: str) -> str | None:
        """Returns what live keys list for pages of this origin: the origin itself, else `*`, else None."""
        now, is_shut = self._clock.now(), self._accounts.is_shut
        return next((each for each in (origin, ANY_ORIGIN) if self._keys.any_lists(each, now, is_shut)), None)

    def _identity(self, known: ApiKeyChanged) -> Identity | None:
        if not known.active or not self._lives(known):
            return None
        may_predict = "predict" in known.permissions
        return Identity(
            known.account_id, known.key_id, may_predict, known.allowed_models, known.limits, known.max_price_nano
        )

    def standing(self, secret: str) -> tuple[Identity, datetime | None] | None:
        """Like `known`, with the time at which the key expires, if it does."""
        known = self._keys.find(self._hasher.digest(secret))
        identity = None if known is None else self._identity(known)
        return None if known is None or identity is None else (identity, known.expires_at)

    async def key(self, secret: str) -> KeyIdentity | None:
        known = self._keys.find(self._hasher.digest(secret))
        if known is None:
            return await self._unknown.key(secret)
        if not known.active or not self._lives(known):
            return None
        return KeyIdentity(
            key_id=known.key_id,
            account_id=known.account_id,
            account_name=self._accounts.name_of(known.account_id),
            name=known.name,
            permissions=tuple(KeyPermission(permission) for permission in known.permissions),
            allowed_models=known.allowed_models,
            features=self._limits.features(known.account_id),
            expires_at=known.expires_at,
            limits=known.limits,
            max_price_nano=known.max_price_nano,
            allowed_origins=known.allowed_origins,
        )

    def _lives(self, key: ApiKeyChanged | KeyIdentity) -> bool:
        expired = key.expires_at is not None and key.expires_at <= self._clock.now()
        return not expired and not self._accounts.is_shut(key.account_id)


def _identity_of(key: KeyIdentity) -> Identity:
    may_predict = KeyPermission.PREDICT in key.permissions
    return Identity(key.account_id, key.key_id, may_predict, key.allowed_models, key.limits, key.max_price_nano)
