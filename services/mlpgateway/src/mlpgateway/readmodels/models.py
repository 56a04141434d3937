from collections.abc import Callable, Collection

from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import ModelChanged
from mlplace_kit.names import PathRef


class Models:
    """Models by id, and by account and name. A deleted model is not found."""

    def __init__(self) -> None:
        self._newest = Newest[ModelChanged]()
        self._by_id: dict[int, ModelChanged] = {}
        self._by_name: dict[tuple[int, str], ModelChanged] = {}
        self._account_ids: dict[str, int] = {}
        self._listeners: list[Callable[[int], None]] = []

    def watch(self, listener: Callable[[int], None]) -> None:
        """Calls the listener with each model that changes."""
        self._listeners.append(listener)

    def apply(self, event: ModelChanged) -> None:
        changes, before = self._newest.take(event)
        if not changes:
            return
        if before is not None:
            self._forget(before)
        if event.active:
            self._by_id[event.model_id] = event
            self._by_name[event.account_id, event.model_name] = event
            self._account_ids[event.account_name] = event.account_id
        for listener in self._listeners:
            listener(event.model_id)

    def _forget(self, model: ModelChanged) -> None:
        self._by_id.pop(model.model_id, None)
        if self._by_name.get((model.account_id, model.model_name)) is model:
            del self._by_name[model.account_id, model.model_name]

    def find(self, account_id: int, ref: PathRef) -> ModelChanged | None:
        if ref.id is None:
            return self._by_name.get((account_id, ref.name or ""))
        model = self._by_id.get(ref.id)
        return model if model is not None and model.account_id == account_id else None

    def by_id(self, model_id: int) -> ModelChanged | None:
        return self._by_id.get(model_id)

    def last(self, model_id: int) -> ModelChanged | None:
        """Returns the model's latest event, even of a deleted model."""
        return self._newest.get(str(model_id))

    def all(self) -> Collection[ModelChanged]:
        return self._by_id.values()

    def account_id_of(self, account_name: str) -> int | None:
        """Returns the id as the models' events state it: account events are on another topic and may come later."""
        return self._account_ids.get(account_name)
