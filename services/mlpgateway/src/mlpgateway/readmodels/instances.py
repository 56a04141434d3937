from collections.abc import Callable, Collection

from mlpgateway.call.ports import InstanceEntry
from mlpgateway.readmodels.models import Models
from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.enums import InstancePurpose
from mlplace_contracts.events import InstanceChanged


class Instances:
    """Instances by the keyed hash of their connection token. Satisfies InstanceDirectory."""

    def __init__(self, models: Models, revoked: Callable[[int], None]) -> None:
        """`revoked` is called with each instance that may no longer be connected."""
        self._models = models
        self._revoked = revoked
        self._newest = Newest[InstanceChanged]()
        self._by_token: dict[str, InstanceChanged] = {}
        self._over_http: dict[int, dict[int, InstanceChanged]] = {}
        self._listeners: list[Callable[[int], None]] = []

    def watch(self, listener: Callable[[int], None]) -> None:
        """Calls the listener with the model of each instance that changes."""
        self._listeners.append(listener)

    def over_http(self, model_id: int) -> Collection[InstanceChanged]:
        """Returns the model's instances that are reached over HTTP."""
        return self._over_http.get(model_id, {}).values()

    def account_of(self, model_id: int) -> int | None:
        """Returns the account of a model; None if the model does not exist."""
        model = self._models.by_id(model_id)
        return None if model is None else model.account_id

    def accepts_connections(self, instance_id: int) -> bool:
        instance = self._newest.get(str(instance_id))
        return instance is not None and instance.accepts_connections

    def apply(self, event: InstanceChanged) -> None:
        changes, before = self._newest.take(event)
        if not changes:
            return
        if before is not None and before.token_hash != event.token_hash:
            self._by_token.pop(before.token_hash, None)
        self._by_token[event.token_hash] = event
        if not event.accepts_connections:
            self._revoked(event.instance_id)
        self._note_http(event)
        for listener in self._listeners:
            listener(event.model_id)

    def _note_http(self, event: InstanceChanged) -> None:
        if event.accepts_connections and event.http is not None:
            self._over_http.setdefault(event.model_id, {})[event.instance_id] = event
        elif known := self._over_http.get(event.model_id):
            known.pop(event.instance_id, None)
            if not known:
                del self._over_http[event.model_id]

    def by_token_hash(self, token_hash: str) -> InstanceEntry | None:
        instance = self._by_token.get(token_hash)
        return None if instance is None else self.entry(instance)

    def entry(self, instance: InstanceChanged) -> InstanceEntry:
        model = self._models.by_id(instance.model_id)
        return InstanceEntry(
            instance_id=instance.instance_id,
            model_id=instance.model_id,
            account_id=instance.account_id,
            model_name=model.model_name if model else str(instance.model_id),
            accepts_connections=instance.accepts_connections,
            serves=serves(instance),
        )


def serves(instance: InstanceChanged) -> bool:
    """Whether calls may go to the instance. A purpose of a later release does not serve."""
    return instance.purpose == InstancePurpose.SERVE
