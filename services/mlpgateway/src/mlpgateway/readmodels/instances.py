from collections.abc import Callable

from mlpgateway.gate.ports import InstanceEntry
from mlpgateway.readmodels.models import Models
from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import InstanceChanged


class Instances:
    """Instances by the keyed hash of their connection token. Satisfies InstanceDirectory."""

    def __init__(self, models: Models, revoked: Callable[[int], None]) -> None:
        """`revoked` hears of an instance that may not be connected any more."""
        self._models = models
        self._revoked = revoked
        self._newest = Newest[InstanceChanged]()
        self._by_token: dict[str, InstanceChanged] = {}

    def apply(self, event: InstanceChanged) -> None:
        news, before = self._newest.take(event)
        if not news:
            return
        if before is not None and before.token_hash != event.token_hash:
            self._by_token.pop(before.token_hash, None)
        self._by_token[event.token_hash] = event
        if not event.accepts_connections:
            self._revoked(event.instance_id)

    def by_token_hash(self, token_hash: str) -> InstanceEntry | None:
        instance = self._by_token.get(token_hash)
        if instance is None:
            return None
        model = self._models.by_id(instance.model_id)
        return InstanceEntry(
            instance_id=instance.instance_id,
            model_id=instance.model_id,
            account_id=instance.account_id,
            model_name=model.model_name if model else str(instance.model_id),
            accepts_connections=instance.accepts_connections,
        )
