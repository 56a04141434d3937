"""The state of a model's cache, for its owner."""

from datetime import datetime
from enum import StrEnum

from mlpgateway.features.caching.store import Problem
from mlpgateway.features.caching.stores import CacheStores
from mlpgateway.readmodels.models import Models
from mlpgateway.readmodels.owned import owned
from mlplace_kit.wire import Output
from mlplace_runtime.web.policy import Access


class CacheState(StrEnum):
    OFF = "OFF"
    IDLE = "IDLE"
    CONNECTING = "CONNECTING"
    READY = "READY"
    AWAY = "AWAY"


class CacheStateData(Output):
    """The state as this gate sees it.

    `IDLE`: no call needed the cache lately. `problem` is the last one, maybe past.
    """

    state: CacheState
    problem: Problem | None
    problem_at: datetime | None


class CacheStates:
    def __init__(self, *, stores: CacheStores, models: Models) -> None:
        self._stores = stores
        self._models = models

    def of(self, access: Access, model: str) -> CacheStateData:
        """Raises ModelNotFound."""
        found = owned(self._models, access, model)
        store = self._stores.find(found.model_id)
        if found.caching is None:
            return CacheStateData(state=CacheState.OFF, problem=None, problem_at=None)
        if store is None:
            return CacheStateData(state=CacheState.IDLE, problem=None, problem_at=None)
        away = CacheState.CONNECTING if store.problem is None else CacheState.AWAY
        state = CacheState.READY if store.ready else away
        return CacheStateData(state=state, problem=store.problem, problem_at=store.problem_at)
