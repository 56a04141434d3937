from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import ApiKeyChanged


class Keys:
    """API keys by the keyed hash of their text. A revoked key stays known, so that nobody has to be asked about it."""

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
        """Also a key that is revoked or expired."""
        return self._by_hash.get(key_hash)
