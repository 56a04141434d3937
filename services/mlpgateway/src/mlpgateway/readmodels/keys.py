from collections.abc import Callable
from datetime import datetime

from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import ApiKeyChanged


class Keys:
    """API keys by the keyed hash of their text. Revoked keys stay known, so that no look-up is needed for them."""

    def __init__(self) -> None:
        self._newest = Newest[ApiKeyChanged]()
        self._by_hash: dict[str, ApiKeyChanged] = {}
        self._by_origin: dict[str, dict[int, dict[int, ApiKeyChanged]]] = {}  # origin, account, key

    def apply(self, event: ApiKeyChanged) -> None:
        changes, before = self._newest.take(event)
        if not changes:
            return
        if before is not None and before.key_hash != event.key_hash:
            self._by_hash.pop(before.key_hash, None)
        self._by_hash[event.key_hash] = event
        if before is not None:
            self._drop_origins(before)
        if event.active:
            for origin in event.allowed_origins:
                accounts = self._by_origin.setdefault(origin, {})
                accounts.setdefault(event.account_id, {})[event.key_id] = event

    def find(self, key_hash: str) -> ApiKeyChanged | None:
        """Returns the key, even a revoked or expired one."""
        return self._by_hash.get(key_hash)

    def any_lists(self, origin: str, now: datetime, is_shut: Callable[[int], bool]) -> bool:
        """Returns whether a live key lists this origin. `is_shut` tells whether an account is closed.

        Anybody may ask. So closed accounts are passed over as a whole, and the origins of expired keys are forgotten.
        """
        expired: list[ApiKeyChanged] = []
        try:
            for account_id, keys in self._by_origin.get(origin, {}).items():
                if is_shut(account_id):
                    continue
                for key in keys.values():
                    if key.expires_at is None or key.expires_at > now:
                        return True
                    expired.append(key)
            return False
        finally:
            for key in expired:
                self._drop_origins(key)

    def _drop_origins(self, key: ApiKeyChanged) -> None:
        for origin in key.allowed_origins:
            accounts = self._by_origin.get(origin, {})
            keys = accounts.get(key.account_id, {})
            keys.pop(key.key_id, None)
            if not keys:
                accounts.pop(key.account_id, None)
            if not accounts:
                self._by_origin.pop(origin, None)
