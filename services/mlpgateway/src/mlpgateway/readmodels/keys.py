from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import ApiKeyChanged


class Keys:
    """API keys by the keyed hash of their text. Revoked keys stay known, so that no look-up is needed for them."""

    def __init__(self) -> None:
        self._newest = Newest[ApiKeyChanged]()
        self._by_hash: dict[str, ApiKeyChanged] = {}

    def apply(self, event: ApiKeyChanged) -> None:
        changes, before = self._newest.take(event)
        if not changes:
            return
        if before is not None and before.key_hash != event.key_hash:
            self._by_hash.pop(before.key_hash, None)
        self._by_hash[event.key_hash] = event

    def find(self, key_hash: str) -> ApiKeyChanged | None:
        """Returns the key, even a revoked or expired one."""
        return self._by_hash.get(key_hash)
