from collections.abc import Callable
from datetime import datetime

from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import ApiKeyChanged


class Keys:
    """API keys by the keyed hash of their text. Revoked keys stay known, so that no look-up is needed for them."""

    def __init__(self) -> None:
        self._newest = Newest[ApiKeyChanged]()
        self._by_hash: dict[str, ApiKeyChanged] = {}
        self._by_origin: dict[str, dict[int, ApiKeyChanged]] = {}

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
                self._by_origin.setdefault(origin, {})[event.key_id] = event

    def find(self, key_hash: str) -> ApiKeyChanged | None:
        """Returns the key, even a revoked or expired one."""
        return self._by_hash.get(key_hash)

    @property
    def list_origins(self) -> bool:
        """Whether any active key lists an origin."""
        return bool(self._by_origin)

    def lists(self, origin: str, now: datetime, is_shut: Callable[[int], bool]) -> bool:
        """Returns whether a live key lists this origin. `is_shut` tells whether an account is closed.

        It forgets the origins of expired keys: anybody may ask, and must not have them looked through each time.
        """
        expired: list[ApiKeyChanged] = []
        found = False
        for key in self._by_origin.get(origin, {}).values():
            if key.expires_at is not None and key.expires_at <= now:
                expired.append(key)
            elif not is_shut(key.account_id):
                found = True
                break
        for key in expired:
            self._drop_origins(key)
        return found

    def _drop_origins(self, key: ApiKeyChanged) -> None:
        for origin in key.allowed_origins:
            listing = self._by_origin.get(origin, {})
            listing.pop(key.key_id, None)
            if not listing:
                self._by_origin.pop(origin, None)
