from mlpgateway.call.call import Payload
from mlpgateway.readmodels.versions import Newest
from mlplace_contracts.events import PredictConfigChanged


class Configs:
    """Stored configs of models, ready to be sent."""

    def __init__(self) -> None:
        self._newest = Newest[PredictConfigChanged]()
        self._by_id: dict[tuple[int, int], Payload] = {}
        self._default_of: dict[int, int] = {}

    def apply(self, event: PredictConfigChanged) -> None:
        if not self._newest.take(event)[0]:
            return
        key = (event.model_id, event.config_id)
        if event.active:
            self._by_id[key] = Payload(json=event.config)
        else:
            self._by_id.pop(key, None)
        if event.active and event.is_default:
            self._default_of[event.model_id] = event.config_id
        elif self._default_of.get(event.model_id) == event.config_id:
            del self._default_of[event.model_id]

    def find(self, model_id: int, config_id: int) -> Payload | None:
        """Returns the config if it belongs to this model."""
        return self._by_id.get((model_id, config_id))

    def default(self, model_id: int) -> Payload | None:
        config_id = self._default_of.get(model_id)
        return None if config_id is None else self._by_id.get((model_id, config_id))
