"""Notes the last use of models. It moves the model to the end of the queue for eviction."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from mlpcore.features.models.reading.access import OwnedModels
from mlpcore.features.models.repository import ModelRepository
from mlpcore.features.models.schemas import LastActivityPk
from mlplace_kit.clock import Clock
from mlplace_runtime.web.policy import Access


class Activity(Protocol):
    async def note_models(self, moments: Mapping[int, datetime]) -> None:
        """Stores when models were used."""
        ...


class ModelActivityService:
    def __init__(self, repository: ModelRepository, activity: Activity, clock: Clock) -> None:
        self._repository = repository
        self._owned = OwnedModels(repository)
        self._activity = activity
        self._clock = clock

    async def touch(self, *, access: Access, model: str) -> None:
        """Raises ModelNotFound, AccessDenied."""
        found = await self._owned.get(access, model)
        await self._activity.note_models({found.model_id: self._clock.now()})

    async def touch_many(self, keys: Sequence[LastActivityPk]) -> None:
        """Ignores models that do not exist."""
        if keys:
            found = await self._repository.live_ones({(key.account_id, key.model_id) for key in keys})
            await self._activity.note_models(dict.fromkeys(found, self._clock.now()))
